/* Walks a document: nodes in the order of the text, each knowing where its neighbour begins.
 * Allocates nothing. */
#include "las/json/read.h"

#include "doc_priv.h"

static const struct las_json_node *node_at(struct las_json value)
{
    return value.doc ? &value.doc->nodes[value.at] : NULL;
}

static bool is_container(const struct las_json_node *node)
{
    return node && (node->type == LAS_JSON_OBJECT || node->type == LAS_JSON_ARRAY);
}

enum las_json_type las_json_type(struct las_json value)
{
    const struct las_json_node *node = node_at(value);
    return node ? (enum las_json_type)node->type : LAS_JSON_ABSENT;
}

struct las_slice las_json_text(struct las_json value)
{
    const struct las_json_node *node = node_at(value);
    if (!node || (node->type != LAS_JSON_STRING && node->type != LAS_JSON_NUMBER))
        return (struct las_slice){"", 0};
    return las_slice_n(value.doc->text + node->text_at, node->text_len);
}

struct las_slice las_json_key(struct las_json value)
{
    const struct las_json_node *node = node_at(value);
    if (!node || node->key_len == 0)
        return (struct las_slice){"", 0};
    return las_slice_n(value.doc->text + node->key_at, node->key_len);
}

bool las_json_bad_text(struct las_json value)
{
    return value.doc && value.doc->bad_text;
}

bool las_json_first(struct las_json container, struct las_json *child)
{
    const struct las_json_node *node = node_at(container);
    if (!is_container(node) || container.at + 1 == node->end)
        return false;
    *child = (struct las_json){container.doc, container.at + 1, node->end};
    return true;
}

bool las_json_next(struct las_json *child)
{
    uint32_t next = child->doc->nodes[child->at].end;
    if (next >= child->siblings_end)
        return false;
    child->at = next;
    return true;
}

/* Every member that a decoder reads is looked up here: no calls within the loop but the comparison
 * of equal lengths. */
struct las_json las_json_get(struct las_json object, const char *name)
{
    struct las_json found = {0};
    const struct las_json_node *node = node_at(object);
    if (!node || node->type != LAS_JSON_OBJECT)
        return found;
    const struct las_json_node *nodes = object.doc->nodes;
    const char *text = object.doc->text;
    size_t len = strlen(name);
    for (uint32_t at = object.at + 1; at < node->end; at = nodes[at].end) {
        if (nodes[at].key_len == len && memcmp(text + nodes[at].key_at, name, len) == 0)
            found = (struct las_json){object.doc, at, node->end};
    }
    return found;
}

uint32_t las_json_count(struct las_json container)
{
    const struct las_json_node *node = node_at(container);
    uint32_t count = 0;
    if (!is_container(node))
        return 0;
    for (uint32_t at = container.at + 1; at < node->end; at = container.doc->nodes[at].end)
        count++;
    return count;
}
