/* Writes JSON into a bounded builder. Members stand in the order of the calls; nothing depends on
 * the locale. */
#ifndef LAS_JSON_WRITE_H
#define LAS_JSON_WRITE_H

#include <stdbool.h>
#include <stdint.h>

#include "las/base/str.h"

#define LAS_JSON_WRITE_DEPTH_MAX 32

struct las_json_writer {
    struct las_buf *out;
    uint32_t depth;
    bool comma[LAS_JSON_WRITE_DEPTH_MAX]; /* an element stands before at this depth */
    bool after_key;
};

/* Appends to out; errors are out's (las_buf_status). Unbalanced calls are CHECKed. */
void las_json_writer_init(struct las_json_writer *writer, struct las_buf *out);
void las_json_object_begin(struct las_json_writer *writer);
void las_json_object_end(struct las_json_writer *writer);
void las_json_array_begin(struct las_json_writer *writer);
void las_json_array_end(struct las_json_writer *writer);
void las_json_put_key(struct las_json_writer *writer, const char *key);
void las_json_put_key_slice(struct las_json_writer *writer, struct las_slice key);
/* Invalid UTF-8 is written as U+FFFD, so that the text is always valid. */
void las_json_put_string(struct las_json_writer *writer, struct las_slice text);
void las_json_put_int(struct las_json_writer *writer, int64_t value);
void las_json_put_bool(struct las_json_writer *writer, bool value);
void las_json_put_null(struct las_json_writer *writer);
/* key + value in one call. */
void las_json_member_str(struct las_json_writer *writer, const char *key, const char *text);
void las_json_member_string(struct las_json_writer *writer, const char *key, struct las_slice text);
void las_json_member_int(struct las_json_writer *writer, const char *key, int64_t value);
void las_json_member_bool(struct las_json_writer *writer, const char *key, bool value);

#endif
