#include "test.h"

#include "las/base/mem.h"
#include "las/json/frame.h"

/* Lines as they come, joined by '|'. */
struct lines {
    char text[256];
    size_t len;
    size_t calls;
    enum las_status answer;
    struct las_frame *to_reset; /* reset by the callback, as a relist would */
};

static enum las_status on_line(void *self, struct las_slice line)
{
    struct lines *lines = self;
    assert_true(lines->len + line.len + 1 < sizeof(lines->text));
    memcpy(lines->text + lines->len, line.ptr, line.len);
    lines->len += line.len;
    lines->text[lines->len++] = '|';
    lines->calls++;
    if (lines->to_reset)
        las_frame_reset(lines->to_reset);
    return lines->answer;
}

TEST(lines_are_the_same_wherever_the_pieces_are_cut)
{
    /* A23: the text has characters of two, three and four bytes. */
    static const char text[] = "{\"a\":1}\n\n \r\n\xc3\xa9\n{\xe2\x82\xac}\n\xf0\x9f\x98\x80x\n";
    size_t len = sizeof(text) - 1;
    for (size_t first = 0; first <= len; first++) {
        for (size_t second = first; second <= len; second++) {
            struct las_frame frame;
            struct lines lines = {.len = 0};
            las_frame_init(&frame);
            assert_int_equal(LAS_OK,
                             las_frame_feed(&frame, las_slice_n(text, first), on_line, &lines));
            assert_int_equal(
                LAS_OK,
                las_frame_feed(&frame, las_slice_n(text + first, second - first), on_line, &lines));
            assert_int_equal(
                LAS_OK,
                las_frame_feed(&frame, las_slice_n(text + second, len - second), on_line, &lines));
            lines.text[lines.len] = '\0';
            assert_string_equal("{\"a\":1}|\xc3\xa9|{\xe2\x82\xac}|\xf0\x9f\x98\x80x|", lines.text);
            assert_int_equal(0, las_frame_pending(&frame));
            las_frame_fini(&frame);
        }
    }
}

TEST(whole_line_in_a_piece_is_not_copied)
{
    struct las_frame frame;
    struct lines lines = {.len = 0};
    las_frame_init(&frame);
    struct las_mem_usage before = las_mem_usage();
    assert_int_equal(LAS_OK, las_frame_feed(&frame, LAS_SLICE("one\ntwo\n"), on_line, &lines));
    assert_int_equal(before.blocks, las_mem_usage().blocks);
    assert_int_equal(2, lines.calls);
    las_frame_fini(&frame);
}

TEST(unfinished_line_waits_and_is_forgotten_by_reset)
{
    struct las_frame frame;
    struct lines lines = {.len = 0};
    las_frame_init(&frame);
    assert_int_equal(LAS_OK, las_frame_feed(&frame, LAS_SLICE("a\nhalf"), on_line, &lines));
    assert_int_equal(4, las_frame_pending(&frame));
    las_frame_reset(&frame);
    assert_int_equal(0, las_frame_pending(&frame));
    assert_int_equal(LAS_OK, las_frame_feed(&frame, LAS_SLICE("b\n"), on_line, &lines));
    assert_memory_equal("a|b|", lines.text, 4);
    las_frame_fini(&frame);
}

TEST(error_of_the_callback_stops_and_is_returned)
{
    struct las_frame frame;
    struct lines lines = {.answer = LAS_E_INVALID};
    las_frame_init(&frame);
    assert_int_equal(LAS_E_INVALID, las_frame_feed(&frame, LAS_SLICE("a\nb\n"), on_line, &lines));
    assert_int_equal(1, lines.calls);
    /* Also where the line was put together from pieces. */
    assert_int_equal(LAS_OK, las_frame_feed(&frame, LAS_SLICE("c"), on_line, &lines));
    assert_int_equal(LAS_E_INVALID, las_frame_feed(&frame, LAS_SLICE("d\ne\n"), on_line, &lines));
    assert_memory_equal("a|cd|", lines.text, 5);
    las_frame_fini(&frame);
}

TEST(callback_may_reset_the_frame)
{
    struct las_frame frame;
    struct lines lines = {.to_reset = &frame};
    las_frame_init(&frame);
    assert_int_equal(LAS_OK, las_frame_feed(&frame, LAS_SLICE("ha"), on_line, &lines));
    assert_int_equal(LAS_OK, las_frame_feed(&frame, LAS_SLICE("lf\nnext\nre"), on_line, &lines));
    assert_int_equal(LAS_OK, las_frame_feed(&frame, LAS_SLICE("st\n"), on_line, &lines));
    assert_memory_equal("half|next|rest|", lines.text, 15);
    las_frame_fini(&frame);
}

TEST(line_over_the_limit_is_refused)
{
    /* D19, D25: a line without end must not fill memory. */
    struct las_frame frame;
    struct lines lines = {.len = 0};
    static char block[1024 * 1024];
    memset(block, 'x', sizeof(block));
    las_frame_init(&frame);
    for (int i = 0; i < 8; i++)
        assert_int_equal(
            LAS_OK, las_frame_feed(&frame, las_slice_n(block, sizeof(block)), on_line, &lines));
    assert_int_equal(LAS_E_LIMIT, las_frame_feed(&frame, LAS_SLICE("y"), on_line, &lines));
    assert_int_equal(0, lines.calls);
    las_frame_reset(&frame);
    assert_int_equal(LAS_OK, las_frame_feed(&frame, LAS_SLICE("ok\n"), on_line, &lines));
    assert_int_equal(1, lines.calls);
    las_frame_fini(&frame);
}

TEST(no_memory_is_an_error_and_leaks_nothing)
{
    struct las_mem_usage before = las_mem_usage();
    struct las_frame frame;
    struct lines lines = {.len = 0};
    las_frame_init(&frame);
    las_mem_fail_from(1);
    assert_int_not_equal(LAS_OK, las_frame_feed(&frame, LAS_SLICE("half"), on_line, &lines));
    las_mem_fail_from(0);
    las_frame_fini(&frame);
    assert_int_equal(before.blocks, las_mem_usage().blocks);
}

TEST_MAIN()
