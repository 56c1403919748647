/* JSON text, value by value. */
#include "las/json/write.h"

#include "las/base/check.h"

void las_json_writer_init(struct las_json_writer *writer, struct las_buf *out)
{
    *writer = (struct las_json_writer){.out = out};
}

/* What stands before a value: nothing behind its key, else a comma unless it is the first. */
static void separate(struct las_json_writer *writer)
{
    if (!writer->after_key && writer->comma[writer->depth])
        las_buf_char(writer->out, ',');
    writer->after_key = false;
    writer->comma[writer->depth] = true;
}

static void begin(struct las_json_writer *writer, char bracket)
{
    separate(writer);
    CHECK(writer->depth + 1 < LAS_JSON_WRITE_DEPTH_MAX);
    writer->depth++;
    writer->comma[writer->depth] = false;
    las_buf_char(writer->out, bracket);
}

static void end(struct las_json_writer *writer, char bracket)
{
    CHECK(writer->depth > 0);
    CHECK(!writer->after_key);
    writer->depth--;
    las_buf_char(writer->out, bracket);
}

void las_json_object_begin(struct las_json_writer *writer)
{
    begin(writer, '{');
}

void las_json_object_end(struct las_json_writer *writer)
{
    end(writer, '}');
}

void las_json_array_begin(struct las_json_writer *writer)
{
    begin(writer, '[');
}

void las_json_array_end(struct las_json_writer *writer)
{
    end(writer, ']');
}

void las_json_put_key_slice(struct las_json_writer *writer, struct las_slice key)
{
    CHECK(!writer->after_key);
    separate(writer);
    las_buf_json_string(writer->out, key);
    las_buf_char(writer->out, ':');
    writer->after_key = true;
}

void las_json_put_key(struct las_json_writer *writer, const char *key)
{
    las_json_put_key_slice(writer, las_slice_of(key));
}

void las_json_put_string(struct las_json_writer *writer, struct las_slice text)
{
    separate(writer);
    las_buf_json_string(writer->out, text);
}

void las_json_put_int(struct las_json_writer *writer, int64_t value)
{
    separate(writer);
    las_buf_i64(writer->out, value);
}

void las_json_put_bool(struct las_json_writer *writer, bool value)
{
    separate(writer);
    las_buf_str(writer->out, value ? "true" : "false");
}

void las_json_put_null(struct las_json_writer *writer)
{
    separate(writer);
    las_buf_str(writer->out, "null");
}

void las_json_member_str(struct las_json_writer *writer, const char *key, const char *text)
{
    las_json_member_string(writer, key, las_slice_of(text));
}

void las_json_member_string(struct las_json_writer *writer, const char *key, struct las_slice text)
{
    las_json_put_key(writer, key);
    las_json_put_string(writer, text);
}

void las_json_member_int(struct las_json_writer *writer, const char *key, int64_t value)
{
    las_json_put_key(writer, key);
    las_json_put_int(writer, value);
}

void las_json_member_bool(struct las_json_writer *writer, const char *key, bool value)
{
    las_json_put_key(writer, key);
    las_json_put_bool(writer, value);
}
