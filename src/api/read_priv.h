/* Reading of members that decoders share. Absent, null and of another type are alike: the API
 * server has validated its own types; NodeLatency, whose schema may have been looser once, is
 * checked by its decoder. */
#ifndef LAS_SRC_API_READ_PRIV_H
#define LAS_SRC_API_READ_PRIV_H

#include "las/api/object.h"
#include "las/api/resources.h"
#include "las/api/selector.h"
#include "las/json/read.h"

/* Text of a string member, "" if absent; lives in the document. */
struct las_slice las_read_text(struct las_json object, const char *name);
/* The same, copied into arena. */
struct las_slice las_read_copy(struct las_json object, const char *name, struct las_arena *arena);
/* For logs and events: valid UTF-8, control characters as blanks, bad bytes as '?', cut at a
 * character. Terminated. */
void las_read_printable(struct las_slice text, char *out, size_t size);
bool las_read_true(struct las_json object, const char *name);
/* An integer: the number's text, also as 1.0 or 1e2; exact. False if it is none. */
bool las_read_integer(struct las_json value, int64_t *out);
/* Elements of an array member, by type object. */
uint32_t las_read_count(struct las_json object, const char *name);
/* String-to-string object to sorted pairs. */
struct las_pairs las_read_pairs(struct las_json object, struct las_arena *arena);
/* metadata of an object. LAS_E_INVALID: no name. */
LAS_MUST_USE enum las_status las_read_meta(struct las_json root, struct las_object *object,
                                           struct las_err *err);
enum las_taint_effect las_read_effect(struct las_slice text);

/* Resource lists while they are summed: few entries, names in the document. */
#define LAS_READ_RESOURCES_MAX 128u
struct las_amounts {
    struct las_scalar items[LAS_READ_RESOURCES_MAX]; /* all resources, cpu in milli */
    uint32_t count;
};
/* Fill from a ResourceList. LAS_E_INVALID names the resource and its text. Negative amounts count
 * as 0. */
LAS_MUST_USE enum las_status las_amounts_read(struct las_json list, struct las_amounts *out,
                                              struct las_err *err);
const struct las_scalar *las_amounts_find(const struct las_amounts *amounts, struct las_slice name);
/* to[name] = value, or + value, or max with value; names stay where they are. LAS_E_LIMIT. */
LAS_MUST_USE enum las_status las_amounts_set(struct las_amounts *to, struct las_slice name,
                                             int64_t value);
LAS_MUST_USE enum las_status las_amounts_add(struct las_amounts *to,
                                             const struct las_amounts *from);
LAS_MUST_USE enum las_status las_amounts_max(struct las_amounts *to,
                                             const struct las_amounts *from);
/* To the form that objects keep; pods leaves pods out, zero scalars are kept if keep_zero. */
void las_amounts_store(const struct las_amounts *amounts, bool keep_zero, struct las_arena *arena,
                       struct las_resources *out);

#endif
