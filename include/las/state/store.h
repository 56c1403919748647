/* All objects of one kind by key, as the server last showed them. Objects never change: a new
 * version replaces the old one, and whoever follows the store is told both. */
#ifndef LAS_STATE_STORE_H
#define LAS_STATE_STORE_H

#include "las/api/object.h"
#include "las/base/map.h"
#include "las/base/status.h"

#define LAS_STORE_OBJECTS_MAX 1000000u

/* One change. Added: old is NULL. Removed: new is NULL. An object that was deleted and made again
 * under its name (another UID) is reported as removed, then added. Both are borrowed for the call.
 */
struct las_delta {
    struct las_object *old;
    struct las_object *new;
    bool listed; /* found by a list, not by a watch event: when it happened is not known */
};

struct las_store {
    struct las_map objects;
    struct las_map *staged; /* a list under way; NULL: none */
    void (*on_delta)(void *self, const struct las_delta *delta);
    void *self;
    char *key; /* scratch of key_cap bytes */
    size_t key_cap;
};

/* on_delta is called from within put, remove and list_commit, for each change, after the store
 * holds the new state. */
void las_store_init(struct las_store *store,
                    void (*on_delta)(void *self, const struct las_delta *delta), void *self);
/* Drops all objects without deltas. */
void las_store_fini(struct las_store *store);

/* A watch event added or modified *object, which moves to the store and is set to NULL (on failure
 * too, then it is freed). LAS_E_LIMIT: too many objects; LAS_E_NOMEM. */
LAS_MUST_USE enum las_status las_store_put(struct las_store *store, struct las_object **object);
/* A watch event deleted the object of that key (`object` is its last state). Unknown objects are
 * nothing. */
void las_store_remove(struct las_store *store, const struct las_object *object);

/* A list: begin, add every object of every page, commit. Only commit changes the store: what the
 * list does not have is removed, so that a delete that happened unseen is noticed. begin again or
 * abort drops what was staged. */
LAS_MUST_USE enum las_status las_store_list_begin(struct las_store *store);
LAS_MUST_USE enum las_status las_store_list_add(struct las_store *store,
                                                struct las_object **object);
void las_store_list_abort(struct las_store *store);
LAS_MUST_USE enum las_status las_store_list_commit(struct las_store *store);

/* Borrowed, NULL if absent. */
struct las_object *las_store_get(struct las_store *store, struct las_slice namespace,
                                 struct las_slice name);
size_t las_store_count(const struct las_store *store);

#endif
