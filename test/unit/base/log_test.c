#include "test.h"

#include "las/base/log.h"

static struct {
    int calls;
    enum las_log_level level;
    int verbosity;
    char line[4 * LAS_LOG_LINE_BYTES];
    size_t len;
} got;

static void sink(void *self, enum las_log_level level, int verbosity, struct las_slice line)
{
    (void)self;
    got.calls++;
    got.level = level;
    got.verbosity = verbosity;
    assert_true(line.len < sizeof(got.line));
    memcpy(got.line, line.ptr, line.len);
    got.line[line.len] = '\0';
    got.len = line.len;
}

static const struct las_log logger = {.sink = sink, .verbosity = 2};

TEST(lines_go_to_the_sink_with_their_level)
{
    got.calls = 0;
    las_log_error(&logger, "%s %d", "e", 1);
    assert_string_equal("e 1", got.line);
    assert_int_equal(LAS_LOG_ERROR, got.level);
    las_log_warning(&logger, "w");
    assert_int_equal(LAS_LOG_WARNING, got.level);
    las_log_info(&logger, "i");
    assert_int_equal(LAS_LOG_INFO, got.level);
    assert_int_equal(0, got.verbosity);
    las_log_v(&logger, 2, "v");
    assert_int_equal(2, got.verbosity);
    assert_int_equal(4, got.calls);
}

TEST(more_verbose_lines_are_dropped_and_no_log_is_silent)
{
    got.calls = 0;
    las_log_v(&logger, 3, "v");
    las_log_error(NULL, "e");
    las_log_v(NULL, 0, "v");
    assert_int_equal(0, got.calls);
}

TEST(control_characters_cannot_forge_lines)
{
    las_log_info(&logger, "a\nb\r\x1b[0m\x7f\xc3\xa9");
    assert_string_equal("a\\x0ab\\x0d\\x1b[0m\\x7f\xc3\xa9", got.line);
}

TEST(long_lines_are_cut)
{
    static char text[2 * LAS_LOG_LINE_BYTES];
    memset(text, 'x', sizeof(text) - 1);
    las_log_info(&logger, "%s", text);
    assert_true(got.len <= LAS_LOG_LINE_BYTES);
    assert_string_equal("...", got.line + got.len - 3);
    memset(text, '\n', sizeof(text) - 1);
    las_log_info(&logger, "%s", text);
    assert_true(got.len <= LAS_LOG_LINE_BYTES);
}

TEST_MAIN()
