/* List pages as they stream: each item becomes an object when its text ends, and only metadata is
 * kept of the rest. */
#include "decode_priv.h"

#include <stdio.h>

#include "read_priv.h"

#include "las/base/mem.h"

struct las_list_reader {
    struct las_json_reader *reader;
    enum las_kind kind;
    const struct las_list_handler *handler;
    void *self;
    struct las_list_page page;
    bool is_list;
};

enum las_status las_list_reader_new(struct las_list_reader **out, enum las_kind kind,
                                    const struct las_list_handler *handler, void *self)
{
    struct las_list_reader *list = las_mem_zalloc(1, sizeof(*list));
    if (!list)
        return LAS_E_NOMEM;
    list->kind = kind;
    list->handler = handler;
    list->self = self;
    enum las_status st = las_json_reader_new(&list->reader, las_skipped_keys);
    if (st != LAS_OK) {
        las_mem_free(list);
        return st;
    }
    *out = list;
    return LAS_OK;
}

void las_list_reader_free(struct las_list_reader *list)
{
    if (!list)
        return;
    las_json_reader_free(list->reader);
    las_mem_free(list);
}

static enum las_status on_item(void *self, struct las_json item, struct las_err *err)
{
    struct las_list_reader *list = self;
    struct las_object *object = NULL;
    struct las_err bad;
    enum las_status st = las_decode_value(list->kind, item, &object, &bad);
    list->page.item_count++;
    if (st == LAS_E_INVALID) {
        /* One bad object costs that object, not the list. */
        list->page.bad_count++;
        if (list->handler->on_bad)
            list->handler->on_bad(list->self, &bad);
        return LAS_OK;
    }
    if (st != LAS_OK) {
        *err = bad;
        return st;
    }
    return list->handler->on_object(list->self, object, err);
}

static enum las_status on_rest(void *self, struct las_json rest, struct las_err *err)
{
    struct las_list_reader *list = self;
    char wanted[64];
    snprintf(wanted, sizeof(wanted), "%sList", las_kind_name(list->kind));
    struct las_slice kind = las_read_text(rest, "kind");
    if (!las_slice_is(kind, wanted))
        return las_err_set(err, LAS_E_INVALID, "no %s: kind is '%.*s'", wanted,
                           LAS_SLICE_ARG(kind));
    struct las_json metadata = las_json_get(rest, "metadata");
    struct las_slice version = las_read_text(metadata, "resourceVersion"),
                     token = las_read_text(metadata, "continue");
    if (version.len >= sizeof(list->page.resource_version) ||
        token.len >= sizeof(list->page.continue_token))
        return las_err_set(err, LAS_E_LIMIT, "%s: resourceVersion or continue is too long", wanted);
    memcpy(list->page.resource_version, version.ptr, version.len);
    list->page.resource_version[version.len] = '\0';
    memcpy(list->page.continue_token, token.ptr, token.len);
    list->page.continue_token[token.len] = '\0';
    list->is_list = true;
    return LAS_OK;
}

static const struct las_json_handler handler = {.on_item = on_item, .on_rest = on_rest};

enum las_status las_list_begin(struct las_list_reader *list)
{
    list->page = (struct las_list_page){0};
    list->is_list = false;
    return las_json_begin(list->reader, LAS_JSON_ITEMS, &handler, list);
}

enum las_status las_list_feed(struct las_list_reader *list, struct las_slice piece,
                              struct las_err *err)
{
    return las_json_feed(list->reader, piece, err);
}

enum las_status las_list_finish(struct las_list_reader *list, struct las_list_page *out,
                                struct las_err *err)
{
    enum las_status st = las_json_finish(list->reader, err);
    if (st != LAS_OK)
        return st;
    if (!list->is_list)
        return las_err_set(err, LAS_E_INVALID, "no list");
    *out = list->page;
    return LAS_OK;
}
