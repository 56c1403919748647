/* Lines out of pieces. Owns the start of a line whose end has not come. */
#include "las/json/frame.h"

void las_frame_init(struct las_frame *frame)
{
    las_buf_init(&frame->partial, LAS_FRAME_BYTES_MAX);
}

void las_frame_fini(struct las_frame *frame)
{
    las_buf_fini(&frame->partial);
}

void las_frame_reset(struct las_frame *frame)
{
    las_buf_reset(&frame->partial);
}

size_t las_frame_pending(const struct las_frame *frame)
{
    return frame->partial.len;
}

static bool is_blank(struct las_slice line)
{
    for (size_t i = 0; i < line.len; i++)
        if (line.ptr[i] != ' ' && line.ptr[i] != '\t' && line.ptr[i] != '\r')
            return false;
    return true;
}

static enum las_status give(struct las_slice line,
                            enum las_status (*on_line)(void *self, struct las_slice line),
                            void *self)
{
    return is_blank(line) ? LAS_OK : on_line(self, line);
}

enum las_status las_frame_feed(struct las_frame *frame, struct las_slice piece,
                               enum las_status (*on_line)(void *self, struct las_slice line),
                               void *self)
{
    while (piece.len > 0) {
        struct las_slice head, rest;
        bool whole = las_slice_cut(piece, '\n', &head, &rest);
        piece = rest;
        if (whole && frame->partial.len == 0) {
            if (head.len > LAS_FRAME_BYTES_MAX)
                return LAS_E_LIMIT;
            enum las_status st = give(head, on_line, self);
            if (st != LAS_OK)
                return st;
            continue;
        }
        las_buf_add(&frame->partial, head);
        enum las_status st = las_buf_status(&frame->partial);
        if (st != LAS_OK || !whole)
            return st;
        /* The callback may reset the frame: take the line out first. */
        struct las_buf line = frame->partial;
        las_buf_init(&frame->partial, LAS_FRAME_BYTES_MAX);
        st = give(las_buf_slice(&line), on_line, self);
        if (!frame->partial.ptr) { /* Keep its memory for the next one. */
            las_buf_reset(&line);
            frame->partial = line;
        } else {
            las_buf_fini(&line);
        }
        if (st != LAS_OK)
            return st;
    }
    return LAS_OK;
}
