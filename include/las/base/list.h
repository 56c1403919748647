/* Intrusive doubly linked list. A node is in at most one list; an unlinked node points at itself.
 */
#ifndef LAS_BASE_LIST_H
#define LAS_BASE_LIST_H

#include <stdbool.h>
#include <stddef.h>

#include "las/base/check.h"

struct las_list {
    struct las_list *prev;
    struct las_list *next;
};

static inline void las_list_init(struct las_list *list)
{
    list->prev = list->next = list;
}
static inline bool las_list_empty(const struct las_list *list)
{
    return list->next == list;
}
static inline void las_list_push_back(struct las_list *list, struct las_list *node)
{
    node->prev = list->prev;
    node->next = list;
    list->prev->next = node;
    list->prev = node;
}
/* Unlink; harmless on a node that is in no list. */
static inline void las_list_remove(struct las_list *node)
{
    node->prev->next = node->next;
    node->next->prev = node->prev;
    las_list_init(node);
}
/* Move all nodes of `from` to the empty list `to`: due work is run from a private list. */
static inline void las_list_move(struct las_list *to, struct las_list *from)
{
    las_list_init(to);
    if (las_list_empty(from))
        return;
    *to = *from;
    to->next->prev = to;
    to->prev->next = to;
    las_list_init(from);
}
#define LAS_LIST_FIRST(list, type, member) LAS_CONTAINER_OF((list)->next, type, member)

#endif
