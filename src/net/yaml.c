/* libyaml loads a document as a tree (aliases resolved); this file writes it as JSON. */
#include "las/net/yaml.h"

#include <yaml.h>

#include "las/base/check.h"

struct writer {
    yaml_document_t *document;
    struct las_buf *out;
    uint32_t nodes;
    struct las_err *err;
};

static enum las_status complain(struct writer *w, const yaml_node_t *node, enum las_status st,
                                const char *text)
{
    return las_err_set(w->err, st, "line %zu, column %zu: %s", node->start_mark.line + 1,
                       node->start_mark.column + 1, text);
}

static bool is_one_of(struct las_slice text, const char *const *words)
{
    for (; *words; words++)
        if (las_slice_is(text, *words))
            return true;
    return false;
}

/* A number as JSON writes it: those that differ (octal, hexadecimal, underscores, infinity) stay
 * strings. */
static bool is_json_number(struct las_slice text)
{
    size_t i = text.len && text.ptr[0] == '-' ? 1 : 0, start = i;
    while (i < text.len && text.ptr[i] >= '0' && text.ptr[i] <= '9')
        i++;
    if (i == start || (text.ptr[start] == '0' && i - start > 1))
        return false;
    if (i < text.len && text.ptr[i] == '.') {
        size_t fraction = ++i;
        while (i < text.len && text.ptr[i] >= '0' && text.ptr[i] <= '9')
            i++;
        if (i == fraction)
            return false;
    }
    if (i < text.len && (text.ptr[i] == 'e' || text.ptr[i] == 'E')) {
        i++;
        if (i < text.len && (text.ptr[i] == '+' || text.ptr[i] == '-'))
            i++;
        size_t exponent = i;
        while (i < text.len && text.ptr[i] >= '0' && text.ptr[i] <= '9')
            i++;
        if (i == exponent)
            return false;
    }
    return i == text.len;
}

static void scalar(struct writer *w, const yaml_node_t *node)
{
    static const char *const nulls[] = {"", "~", "null", "Null", "NULL", NULL};
    static const char *const trues[] = {"true", "True", "TRUE", NULL};
    static const char *const falses[] = {"false", "False", "FALSE", NULL};
    struct las_slice text =
        las_slice_n((const char *)node->data.scalar.value, node->data.scalar.length);
    /* libyaml gives every untagged scalar the tag of a string: the style tells plain ones. */
    bool plain = node->data.scalar.style == YAML_PLAIN_SCALAR_STYLE && node->tag &&
                 strcmp((const char *)node->tag, YAML_STR_TAG) == 0;
    if (plain && is_one_of(text, nulls))
        las_buf_str(w->out, "null");
    else if (plain && is_one_of(text, trues))
        las_buf_str(w->out, "true");
    else if (plain && is_one_of(text, falses))
        las_buf_str(w->out, "false");
    else if (plain && is_json_number(text))
        las_buf_add(w->out, text);
    else
        las_buf_json_string(w->out, text);
}

static enum las_status value(struct writer *w, int id, uint32_t depth);

static enum las_status check_key(struct writer *w, const yaml_node_t *mapping,
                                 const yaml_node_pair_t *pair)
{
    const yaml_node_t *key = yaml_document_get_node(w->document, pair->key);
    if (key->type != YAML_SCALAR_NODE)
        return complain(w, key, LAS_E_SYNTAX, "a key must be a scalar");
    struct las_slice name =
        las_slice_n((const char *)key->data.scalar.value, key->data.scalar.length);
    if (las_slice_is(name, "<<") && key->data.scalar.style == YAML_PLAIN_SCALAR_STYLE)
        return complain(w, key, LAS_E_SYNTAX, "merge keys (<<) are not supported");
    for (const yaml_node_pair_t *other = mapping->data.mapping.pairs.start; other < pair; other++) {
        const yaml_node_t *earlier = yaml_document_get_node(w->document, other->key);
        if (las_slice_eq(name, las_slice_n((const char *)earlier->data.scalar.value,
                                           earlier->data.scalar.length)))
            return complain(w, key, LAS_E_SYNTAX, "a key stands twice");
    }
    las_buf_json_string(w->out, name);
    return LAS_OK;
}

static enum las_status mapping(struct writer *w, const yaml_node_t *node, uint32_t depth)
{
    las_buf_char(w->out, '{');
    for (const yaml_node_pair_t *pair = node->data.mapping.pairs.start;
         pair < node->data.mapping.pairs.top; pair++) {
        if (pair > node->data.mapping.pairs.start)
            las_buf_char(w->out, ',');
        enum las_status st = check_key(w, node, pair);
        if (st != LAS_OK)
            return st;
        las_buf_char(w->out, ':');
        if ((st = value(w, pair->value, depth + 1)) != LAS_OK)
            return st;
    }
    las_buf_char(w->out, '}');
    return LAS_OK;
}

static enum las_status sequence(struct writer *w, const yaml_node_t *node, uint32_t depth)
{
    las_buf_char(w->out, '[');
    for (const yaml_node_item_t *item = node->data.sequence.items.start;
         item < node->data.sequence.items.top; item++) {
        if (item > node->data.sequence.items.start)
            las_buf_char(w->out, ',');
        enum las_status st = value(w, *item, depth + 1);
        if (st != LAS_OK)
            return st;
    }
    las_buf_char(w->out, ']');
    return LAS_OK;
}

static enum las_status value(struct writer *w, int id, uint32_t depth)
{
    const yaml_node_t *node = yaml_document_get_node(w->document, id);
    CHECK(node != NULL);
    if (depth > LAS_YAML_DEPTH_MAX)
        return complain(w, node, LAS_E_LIMIT, "nested too deeply");
    if (++w->nodes > LAS_YAML_NODES_MAX || w->out->failed)
        return complain(w, node, LAS_E_LIMIT, "too large");
    switch (node->type) {
    case YAML_MAPPING_NODE:
        return mapping(w, node, depth);
    case YAML_SEQUENCE_NODE:
        return sequence(w, node, depth);
    case YAML_SCALAR_NODE:
        scalar(w, node);
        break;
    case YAML_NO_NODE:
        las_buf_str(w->out, "null");
        break;
    }
    return LAS_OK;
}

static enum las_status load(yaml_parser_t *parser, yaml_document_t *document, struct las_err *err)
{
    if (yaml_parser_load(parser, document))
        return LAS_OK;
    return las_err_set(err, parser->error == YAML_MEMORY_ERROR ? LAS_E_NOMEM : LAS_E_SYNTAX,
                       "line %zu, column %zu: %s", parser->problem_mark.line + 1,
                       parser->problem_mark.column + 1,
                       parser->problem ? parser->problem : "no valid YAML");
}

/* libyaml takes time by the square of the brackets that are open. No text that is meant well has so
 * many, in strings or out of them. */
#define OPEN_BRACKETS_MAX 10000

static bool is_bracket_bomb(struct las_slice text)
{
    size_t open = 0;
    for (size_t i = 0; i < text.len && open <= OPEN_BRACKETS_MAX; i++) {
        char c = text.ptr[i];
        if (c == '[' || c == '{')
            open++;
        else if ((c == ']' || c == '}') && open > 0)
            open--;
    }
    return open > OPEN_BRACKETS_MAX;
}

enum las_status las_yaml_to_json(struct las_slice text, uint32_t index, struct las_buf *out,
                                 bool *more, struct las_err *err)
{
    yaml_parser_t parser;
    if (is_bracket_bomb(text))
        return las_err_set(err, LAS_E_LIMIT, "nested too deeply");
    if (!yaml_parser_initialize(&parser))
        return las_err_set(err, LAS_E_NOMEM, "out of memory");
    yaml_parser_set_input_string(&parser, (const unsigned char *)text.ptr, text.len);
    enum las_status st = LAS_OK;
    for (uint32_t i = 0; st == LAS_OK && i <= index + (more != NULL); i++) {
        yaml_document_t document;
        if ((st = load(&parser, &document, err)) != LAS_OK)
            break;
        bool present = yaml_document_get_root_node(&document) != NULL;
        if (i == index && present) {
            struct writer w = {.document = &document, .out = out, .err = err};
            st = value(&w, 1, 0);
        } else if (i == index) {
            st = las_err_set(err, LAS_E_NOTFOUND, "there is no document %u", index + 1);
        } else if (i == index + 1) {
            *more = present;
        }
        yaml_document_delete(&document);
        if (!present)
            break;
    }
    yaml_parser_delete(&parser);
    if (st == LAS_OK && out->failed)
        st = las_err_set(err, LAS_E_LIMIT, "too large");
    return st;
}
