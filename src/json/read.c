/* The reader of read.h over yajl. Owns the document and every block that yajl allocates.
 *
 * yajl does not check its allocations, so its allocator never returns NULL: out of memory leaves
 * yajl by longjmp to the feed that called it, and its blocks, which are kept in a list, are freed
 * as a whole. A handle that has seen an error is never used again (faults.md D23). yajl's own UTF-8
 * check is off: it ends the text at the first bad byte, and lets surrogates pass; ours marks the
 * document, so that one bad object costs that object alone (A24).
 *
 * yajl keeps a string that has not ended, however long (D19, D25): its allocator refuses what no
 * acceptable text needs.
 *
 * Half of what the API server sends is managedFields. An array under the first of the skipped keys
 * is not given to yajl at all: it is jumped over by its brackets, which costs a fifth (measured: 13
 * us less for a pod of 7 KB). What stands between them is not checked, and of no consequence. */
#include "las/json/read.h"

#include <setjmp.h>
#include <stdalign.h>
#include <stdio.h>

#include <yajl/yajl_parse.h>

#include "doc_priv.h"

#include "las/base/list.h"
#include "las/base/mem.h"

/* No block of yajl's is larger: its buffer doubles until the longest text of a document fits. */
#define YAJL_BLOCK_BYTES_MAX (2u * LAS_JSON_TEXT_BYTES_MAX)
/* Memory that a reader keeps from one text to the next. */
#define KEPT_TEXT_BYTES_MAX (1024u * 1024u)
#define KEPT_NODES_MAX (64u * 1024u)
#define SKIP_KEYS_MAX 16u
#define NEEDLE_BYTES_MAX 64u

/* What longjmp carries. */
enum { LEAVE_OUT_OF_MEMORY = 1, LEAVE_TOO_LONG };

struct block {
    struct las_list link;
    alignas(max_align_t) char data[];
};

struct las_json_reader {
    struct las_json_doc item; /* the document that on_item gets */
    struct las_json_doc rest; /* ITEMS: the root without its items */
    struct las_json_doc *doc; /* the one being filled */
    struct las_slice skip_keys[SKIP_KEYS_MAX];
    uint32_t skip_key_count;
    struct las_slice needle; /* the first of them as it stands before an array: "managedFields":[ */
    char needle_text[NEEDLE_BYTES_MAX];

    enum las_json_mode mode;
    const struct las_json_handler *handler;
    void *self;

    yajl_handle yajl; /* NULL: no text begun, or it failed */
    struct las_list blocks;
    jmp_buf leave;

    uint32_t depth;
    uint32_t
        open[LAS_JSON_DEPTH_MAX + 1]; /* node of the container at each depth, in its document */
    uint32_t skip_depth;              /* containers open inside a skipped value */
    bool skip_next;           /* the value to come is skipped if it is an object or an array */
    bool items_next;          /* the value to come is the root's "items" */
    uint32_t items_depth;     /* depth inside "items", 0: not in it */
    uint32_t key_at, key_len; /* of the value to come, in doc->text */
    uint32_t jump_depth;      /* brackets open inside an array that is jumped over, 0: none is */
    bool jump_in_string, jump_escaped;
    bool has_root;
    enum las_status status;
    struct las_err err;
};

/* --- yajl's memory. */

static void *yajl_take(void *context, size_t bytes)
{
    struct las_json_reader *reader = context;
    if (bytes > YAJL_BLOCK_BYTES_MAX)
        longjmp(reader->leave, LEAVE_TOO_LONG);
    struct block *block = las_mem_alloc(sizeof(*block) + bytes);
    if (!block)
        longjmp(reader->leave, LEAVE_OUT_OF_MEMORY);
    las_list_init(&block->link);
    las_list_push_back(&reader->blocks, &block->link);
    return block->data;
}

static void yajl_give(void *context, void *data)
{
    (void)context;
    if (!data)
        return;
    struct block *block = LAS_CONTAINER_OF(data, struct block, data);
    las_list_remove(&block->link);
    las_mem_free(block);
}

static void *yajl_resize(void *context, void *data, size_t bytes)
{
    struct las_json_reader *reader = context;
    if (!data)
        return yajl_take(context, bytes);
    if (bytes > YAJL_BLOCK_BYTES_MAX)
        longjmp(reader->leave, LEAVE_TOO_LONG);
    struct block *block = LAS_CONTAINER_OF(data, struct block, data);
    las_list_remove(&block->link);
    struct block *moved = las_mem_realloc(block, sizeof(*block) + bytes);
    if (!moved) {
        las_list_push_back(&reader->blocks, &block->link);
        longjmp(reader->leave, LEAVE_OUT_OF_MEMORY);
    }
    las_list_init(&moved->link);
    las_list_push_back(&reader->blocks, &moved->link);
    return moved->data;
}

static void drop_yajl(struct las_json_reader *reader)
{
    while (!las_list_empty(&reader->blocks)) {
        struct block *block = LAS_LIST_FIRST(&reader->blocks, struct block, link);
        las_list_remove(&block->link);
        las_mem_free(block);
    }
    reader->yajl = NULL;
}

/* --- Filling the document. */

static int fail(struct las_json_reader *reader, enum las_status status, const char *text)
{
    reader->status = las_err_set(&reader->err, status, "%s", text);
    return 0; /* yajl stops */
}

static bool add_text(struct las_json_doc *doc, struct las_slice text, uint32_t *at)
{
    if (text.len > doc->text_cap - doc->text_len) {
        size_t cap = doc->text_cap ? doc->text_cap * 2 : 4096;
        while (cap - doc->text_len < text.len)
            cap *= 2;
        char *moved = las_mem_realloc(doc->text, cap);
        if (!moved)
            return false;
        doc->text = moved;
        doc->text_cap = cap;
    }
    *at = (uint32_t)doc->text_len;
    if (text.len)
        memcpy(doc->text + doc->text_len, text.ptr, text.len);
    doc->text_len += text.len;
    return true;
}

static struct las_json_node *add_node(struct las_json_reader *reader)
{
    struct las_json_doc *doc = reader->doc;
    if (doc->count == LAS_JSON_NODES_MAX) {
        fail(reader, LAS_E_LIMIT, "too many values in one document");
        return NULL;
    }
    if (doc->count == doc->cap) {
        uint32_t cap = doc->cap ? doc->cap * 2 : 512;
        struct las_json_node *moved = las_mem_realloc(doc->nodes, cap * sizeof(*moved));
        if (!moved) {
            fail(reader, LAS_E_NOMEM, "out of memory");
            return NULL;
        }
        doc->nodes = moved;
        doc->cap = cap;
    }
    struct las_json_node *node = &doc->nodes[doc->count++];
    *node = (struct las_json_node){
        .end = doc->count, .key_at = reader->key_at, .key_len = reader->key_len & 0xffffff};
    reader->key_len = 0;
    return node;
}

/* In ITEMS mode an element of the root's items begins: a document of its own. */
static void enter_item(struct las_json_reader *reader)
{
    if (reader->mode != LAS_JSON_ITEMS || reader->items_depth == 0 ||
        reader->depth != reader->items_depth)
        return;
    reader->doc = &reader->item;
    reader->item.count = 0;
    reader->item.text_len = 0;
    reader->item.bad_text = false;
    reader->key_len = 0;
}

/* It ends: hand it over. */
static int leave_item(struct las_json_reader *reader)
{
    if (reader->doc != &reader->item || reader->mode != LAS_JSON_ITEMS ||
        reader->depth != reader->items_depth)
        return 1;
    struct las_json root = {&reader->item, 0, reader->item.count};
    enum las_status st = reader->handler->on_item(reader->self, root, &reader->err);
    reader->doc = &reader->rest;
    if (st == LAS_OK)
        return 1;
    reader->status = st;
    return 0;
}

static int scalar(struct las_json_reader *reader, enum las_json_type type, struct las_slice text)
{
    if (reader->skip_depth > 0)
        return 1;
    if (reader->items_next) {
        reader->items_next = false;
        return 1;
    }
    reader->skip_next = false;
    enter_item(reader);
    struct las_json_node *node = add_node(reader);
    if (!node)
        return 0;
    node->type = (uint8_t)type;
    if (text.len > 0 || type == LAS_JSON_STRING) {
        uint32_t at;
        if (reader->doc->text_len + text.len > LAS_JSON_TEXT_BYTES_MAX)
            return fail(reader, LAS_E_LIMIT, "too much text in one document");
        if (!add_text(reader->doc, text, &at))
            return fail(reader, LAS_E_NOMEM, "out of memory");
        node->text_at = at;
        node->text_len = (uint32_t)text.len;
        if (type == LAS_JSON_STRING && !las_utf8_valid(text))
            reader->doc->bad_text = true;
    }
    reader->has_root = true;
    return leave_item(reader);
}

static int open_container(struct las_json_reader *reader, enum las_json_type type)
{
    if (reader->skip_depth > 0 || reader->skip_next) {
        reader->skip_next = false;
        reader->key_len = 0;
        if (++reader->skip_depth + reader->depth > LAS_JSON_DEPTH_MAX)
            return fail(reader, LAS_E_LIMIT, "nested too deeply");
        return 1;
    }
    if (reader->depth == LAS_JSON_DEPTH_MAX)
        return fail(reader, LAS_E_LIMIT, "nested too deeply");
    if (reader->items_next) {
        reader->items_next = false;
        if (type != LAS_JSON_ARRAY)
            return fail(reader, LAS_E_INVALID, "items: must be an array");
        reader->depth++;
        reader->items_depth = reader->depth;
        return 1;
    }
    enter_item(reader);
    struct las_json_node *node = add_node(reader);
    if (!node)
        return 0;
    node->type = (uint8_t)type;
    reader->open[reader->depth++] = reader->doc->count - 1;
    reader->has_root = true;
    return 1;
}

static int close_container(struct las_json_reader *reader)
{
    if (reader->skip_depth > 0) {
        reader->skip_depth--;
        return 1;
    }
    reader->depth--;
    if (reader->items_depth > 0 && reader->depth + 1 == reader->items_depth) {
        reader->items_depth = 0;
        return 1;
    }
    reader->doc->nodes[reader->open[reader->depth]].end = reader->doc->count;
    return leave_item(reader);
}

static int on_null(void *self)
{
    return scalar(self, LAS_JSON_NULL, (struct las_slice){0});
}

static int on_boolean(void *self, int value)
{
    return scalar(self, value ? LAS_JSON_TRUE : LAS_JSON_FALSE, (struct las_slice){0});
}

static int on_number(void *self, const char *text, size_t len)
{
    return scalar(self, LAS_JSON_NUMBER, las_slice_n(text, len));
}

static int on_string(void *self, const unsigned char *text, size_t len)
{
    return scalar(self, LAS_JSON_STRING, las_slice_n((const char *)text, len));
}

static int on_map_begin(void *self)
{
    return open_container(self, LAS_JSON_OBJECT);
}

static int on_array_begin(void *self)
{
    return open_container(self, LAS_JSON_ARRAY);
}

static int on_end(void *self)
{
    return close_container(self);
}

static bool is_skipped(const struct las_json_reader *reader, struct las_slice key)
{
    for (uint32_t i = 0; i < reader->skip_key_count; i++)
        if (las_slice_eq(key, reader->skip_keys[i]))
            return true;
    return false;
}

static int on_key(void *self, const unsigned char *text, size_t len)
{
    struct las_json_reader *reader = self;
    struct las_slice key = las_slice_n((const char *)text, len);
    if (reader->skip_depth > 0)
        return 1;
    reader->skip_next = is_skipped(reader, key);
    if (reader->mode == LAS_JSON_ITEMS && reader->depth == 1 && las_slice_is(key, "items")) {
        reader->items_next = true;
        return 1;
    }
    if (len > 0xffffff || reader->doc->text_len + len > LAS_JSON_TEXT_BYTES_MAX)
        return fail(reader, LAS_E_LIMIT, "too much text in one document");
    if (!add_text(reader->doc, key, &reader->key_at))
        return fail(reader, LAS_E_NOMEM, "out of memory");
    reader->key_len = (uint32_t)len;
    if (!las_utf8_valid(key))
        reader->doc->bad_text = true;
    return 1;
}

static const yajl_callbacks callbacks = {.yajl_null = on_null,
                                         .yajl_boolean = on_boolean,
                                         .yajl_number = on_number,
                                         .yajl_string = on_string,
                                         .yajl_start_map = on_map_begin,
                                         .yajl_map_key = on_key,
                                         .yajl_end_map = on_end,
                                         .yajl_start_array = on_array_begin,
                                         .yajl_end_array = on_end};

/* --- The reader. */

static void set_skip_keys(struct las_json_reader *reader, const char *const *keys)
{
    for (; keys && keys[reader->skip_key_count]; reader->skip_key_count++) {
        CHECK(reader->skip_key_count < SKIP_KEYS_MAX);
        reader->skip_keys[reader->skip_key_count] = las_slice_of(keys[reader->skip_key_count]);
    }
    if (reader->skip_key_count == 0)
        return;
    int n = snprintf(reader->needle_text, sizeof(reader->needle_text), "\"%s\":[", keys[0]);
    CHECK(n > 0);
    CHECK((size_t)n < sizeof(reader->needle_text));
    reader->needle = las_slice_n(reader->needle_text, (size_t)n);
}

enum las_status las_json_reader_new(struct las_json_reader **out, const char *const *skip_keys)
{
    struct las_json_reader *reader = las_mem_zalloc(1, sizeof(*reader));
    if (!reader)
        return LAS_E_NOMEM;
    set_skip_keys(reader, skip_keys);
    las_list_init(&reader->blocks);
    *out = reader;
    return LAS_OK;
}

static void free_doc(struct las_json_doc *doc)
{
    las_mem_free(doc->nodes);
    las_mem_free(doc->text);
    *doc = (struct las_json_doc){0};
}

void las_json_reader_free(struct las_json_reader *reader)
{
    if (!reader)
        return;
    drop_yajl(reader);
    free_doc(&reader->item);
    free_doc(&reader->rest);
    las_mem_free(reader);
}

/* Empty; memory is kept unless one large text made it grow. */
static void clear(struct las_json_doc *doc)
{
    if (doc->text_cap > KEPT_TEXT_BYTES_MAX || doc->cap > KEPT_NODES_MAX)
        free_doc(doc);
    doc->count = 0;
    doc->text_len = 0;
    doc->bad_text = false;
}

enum las_status las_json_begin(struct las_json_reader *reader, enum las_json_mode mode,
                               const struct las_json_handler *handler, void *self)
{
    drop_yajl(reader);
    clear(&reader->item);
    clear(&reader->rest);
    reader->mode = mode;
    reader->handler = handler;
    reader->self = self;
    reader->doc = mode == LAS_JSON_ITEMS ? &reader->rest : &reader->item;
    reader->depth = reader->skip_depth = reader->items_depth = reader->key_len =
        reader->jump_depth = 0;
    reader->skip_next = reader->items_next = reader->has_root = false;
    reader->status = LAS_OK;
    if (setjmp(reader->leave)) {
        drop_yajl(reader);
        return LAS_E_NOMEM;
    }
    yajl_alloc_funcs memory = {
        .malloc = yajl_take, .realloc = yajl_resize, .free = yajl_give, .ctx = reader};
    reader->yajl = yajl_alloc(&callbacks, &memory, reader);
    yajl_config(reader->yajl, yajl_dont_validate_strings, 1);
    return LAS_OK;
}

/* The text is lost: say why. */
static enum las_status give_up(struct las_json_reader *reader, yajl_status status,
                               struct las_slice piece, struct las_err *err)
{
    size_t at = piece.len ? yajl_get_bytes_consumed(reader->yajl) : 0;
    drop_yajl(reader);
    if (status == yajl_status_client_canceled) {
        if (err)
            *err = reader->err;
        return reader->status;
    }
    struct las_slice near = las_slice_n(piece.ptr + at, piece.len - at < 40 ? piece.len - at : 40);
    return las_err_set(err, LAS_E_SYNTAX, "no valid JSON near byte %zu: '%.*s'", at,
                       LAS_SLICE_ARG(near));
}

/* yajl was left by longjmp. */
static enum las_status left(struct las_json_reader *reader, int why, struct las_err *err)
{
    drop_yajl(reader);
    if (why == LEAVE_TOO_LONG)
        return las_err_set(err, LAS_E_LIMIT, "too much text in one document");
    return las_err_set(err, LAS_E_NOMEM, "out of memory");
}

/* Bytes of piece up to the "[" of an array to be jumped over, that one included; all of piece if
 * there is none. Such a key cannot stand inside a string, where its quotes would be escaped: what
 * stands before it is looked at, so that a piece that begins behind a backslash is not misread. */
static size_t before_jump(const struct las_json_reader *reader, struct las_slice piece)
{
    struct las_slice rest = piece;
    while (reader->needle.len > 0 && rest.len > reader->needle.len) {
        const char *at = memmem(rest.ptr, rest.len, reader->needle.ptr, reader->needle.len);
        if (!at)
            break;
        const char *end = at + reader->needle.len;
        if (at > piece.ptr && (at[-1] == ',' || at[-1] == '{'))
            return (size_t)(end - piece.ptr);
        rest = las_slice_n(end, (size_t)(piece.ptr + piece.len - end));
    }
    return piece.len;
}

/* Bytes of piece that lie inside the array being jumped over; its "]" is left for yajl. */
static size_t jump(struct las_json_reader *reader, struct las_slice piece)
{
    size_t i = 0;
    while (i < piece.len) {
        if (reader->jump_escaped) {
            reader->jump_escaped = false;
            i++;
            continue;
        }
        if (reader->jump_in_string) {
            while (i < piece.len && piece.ptr[i] != '"' && piece.ptr[i] != '\\')
                i++;
            if (i == piece.len)
                break;
            reader->jump_escaped = piece.ptr[i] == '\\';
            reader->jump_in_string = reader->jump_escaped;
            i++;
            continue;
        }
        char c = piece.ptr[i];
        if (c == '"')
            reader->jump_in_string = true;
        else if (c == '[')
            reader->jump_depth++;
        else if (c == ']' && --reader->jump_depth == 0)
            return i;
        i++;
    }
    return piece.len;
}

enum las_status las_json_feed(struct las_json_reader *reader, struct las_slice piece,
                              struct las_err *err)
{
    if (!reader->yajl)
        return las_err_set(err, LAS_E_SYNTAX, "the text has failed already");
    int why = setjmp(reader->leave);
    if (why)
        return left(reader, why, err);
    while (piece.len > 0) {
        size_t n;
        if (reader->jump_depth > 0) {
            n = jump(reader, piece);
        } else {
            n = before_jump(reader, piece);
            yajl_status status = yajl_parse(reader->yajl, (const unsigned char *)piece.ptr, n);
            if (status != yajl_status_ok)
                return give_up(reader, status, las_slice_n(piece.ptr, n), err);
            /* yajl agrees that a skipped array has begun. */
            if (n < piece.len && reader->skip_depth > 0) {
                reader->jump_depth = 1;
                reader->jump_in_string = reader->jump_escaped = false;
            }
        }
        piece = las_slice_n(piece.ptr + n, piece.len - n);
    }
    return LAS_OK;
}

enum las_status las_json_finish(struct las_json_reader *reader, struct las_err *err)
{
    if (!reader->yajl)
        return las_err_set(err, LAS_E_SYNTAX, "the text has failed already");
    int why = setjmp(reader->leave);
    if (why)
        return left(reader, why, err);
    yajl_status status = yajl_complete_parse(reader->yajl);
    if (status == yajl_status_client_canceled)
        return give_up(reader, status, (struct las_slice){0}, err);
    drop_yajl(reader);
    if (status != yajl_status_ok || !reader->has_root || reader->depth > 0)
        return las_err_set(err, LAS_E_SYNTAX, "the JSON text breaks off");
    struct las_json root = {reader->doc, 0, reader->doc->count};
    if (reader->mode == LAS_JSON_ITEMS)
        return reader->handler->on_rest(reader->self, root, err);
    return reader->handler ? reader->handler->on_item(reader->self, root, err) : LAS_OK;
}

enum las_status las_json_parse(struct las_json_reader *reader, struct las_slice text,
                               struct las_json *root, struct las_err *err)
{
    enum las_status st = las_json_begin(reader, LAS_JSON_ONE, NULL, NULL);
    if (st != LAS_OK)
        return las_err_set(err, st, "%s", las_status_text(st));
    if ((st = las_json_feed(reader, text, err)) != LAS_OK ||
        (st = las_json_finish(reader, err)) != LAS_OK)
        return st;
    *root = (struct las_json){&reader->item, 0, reader->item.count};
    return LAS_OK;
}
