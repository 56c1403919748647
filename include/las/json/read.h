/* JSON text to a flat document: yajl reads, the document is what decoders walk. Sole user of yajl's
 * parser.
 *
 * A document is an array of nodes in the order of the text; a container is followed by its
 * children, and each node knows where the next one beside it begins. It lives in the reader's
 * memory and is overwritten by the next one, so decoders copy what they keep. Subtrees under a key
 * of the skip list are not stored at all.
 *
 * Limits (all named below): over one of them the text is refused with an error that names it;
 * nothing is kept. */
#ifndef LAS_JSON_READ_H
#define LAS_JSON_READ_H

#include <stdbool.h>
#include <stdint.h>

#include "las/base/status.h"
#include "las/base/str.h"

#define LAS_JSON_DEPTH_MAX 64
#define LAS_JSON_NODES_MAX 2000000u
#define LAS_JSON_TEXT_BYTES_MAX (16u * 1024u * 1024u) /* keys and strings of one document */

enum las_json_type {
    LAS_JSON_ABSENT, /* what a look-up of a missing member gives */
    LAS_JSON_NULL,
    LAS_JSON_FALSE,
    LAS_JSON_TRUE,
    LAS_JSON_NUMBER, /* the text of the number as it stood */
    LAS_JSON_STRING, /* unescaped; may hold NUL bytes; see las_json_bad_text */
    LAS_JSON_ARRAY,
    LAS_JSON_OBJECT
};

struct las_json_doc;

/* A value in a document, passed by value; valid until the reader reads on. */
struct las_json {
    const struct las_json_doc *doc;
    uint32_t at;
    uint32_t siblings_end; /* where the container that it was reached through ends */
};

enum las_json_type las_json_type(struct las_json value);
/* Of a STRING or NUMBER; else empty. */
struct las_slice las_json_text(struct las_json value);
/* Name of the member that this value is; empty for elements and the root. */
struct las_slice las_json_key(struct las_json value);
/* Some key or string of the document is not valid UTF-8: the object is not to be used. */
bool las_json_bad_text(struct las_json value);
/* First child and next sibling; false at the end (or if value is no container). */
bool las_json_first(struct las_json container, struct las_json *child);
bool las_json_next(struct las_json *child);
/* Member of an object by name (the last one of equal names, as Go decodes), type ABSENT if there is
 * none or `object` is not one. */
struct las_json las_json_get(struct las_json object, const char *name);
/* Number of children. */
uint32_t las_json_count(struct las_json container);

#define LAS_JSON_EACH(child, container)                                                            \
    for (struct las_json child, *child##_ok = las_json_first((container), &child) ? &child : NULL; \
         child##_ok; child##_ok = las_json_next(&child) ? &child : NULL)

/* A reader and its memory. */
struct las_json_reader;

/* What the reader makes of the text. */
enum las_json_mode {
    LAS_JSON_ONE,  /* the whole text is one document: on_item gets its root, once, at finish */
    LAS_JSON_ITEMS /* each element of the root's member "items" is a document of its own, given to
                      on_item as it ends; at finish on_rest gets the root without its items (a list
                      page: kind, apiVersion, metadata) */
};

struct las_json_handler {
    /* LAS_OK, or an error that stops the reading and is returned by feed. */
    enum las_status (*on_item)(void *self, struct las_json item, struct las_err *err);
    enum las_status (*on_rest)(void *self, struct las_json rest, struct las_err *err);
};

/* skip_keys: NULL-terminated names whose values are passed over wherever they stand
 * (managedFields); kept by reference. */
LAS_MUST_USE enum las_status las_json_reader_new(struct las_json_reader **out,
                                                 const char *const *skip_keys);
void las_json_reader_free(struct las_json_reader *reader);

/* Begin a text; forgets an unfinished one. The handler is kept by reference. */
LAS_MUST_USE enum las_status las_json_begin(struct las_json_reader *reader, enum las_json_mode mode,
                                            const struct las_json_handler *handler, void *self);
/* The next piece, cut anywhere. After an error the text is lost; begin again. LAS_E_SYNTAX (with
 * offset), LAS_E_LIMIT, LAS_E_NOMEM or what a handler returned. */
LAS_MUST_USE enum las_status las_json_feed(struct las_json_reader *reader, struct las_slice piece,
                                           struct las_err *err);
/* The text is whole: LAS_E_SYNTAX if it is not. */
LAS_MUST_USE enum las_status las_json_finish(struct las_json_reader *reader, struct las_err *err);

/* One text at once: *root is valid until the reader is used again. */
LAS_MUST_USE enum las_status las_json_parse(struct las_json_reader *reader, struct las_slice text,
                                            struct las_json *root, struct las_err *err);

#endif
