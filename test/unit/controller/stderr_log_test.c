#include "test.h"

#include "stderr_log.h"

TEST(a_line_has_level_time_process_and_text)
{
    struct las_buf out;
    las_buf_init(&out, 1024);
    las_stderr_log_format(LAS_LOG_WARNING, INT64_C(1777636830123456), 42, LAS_SLICE("text"), &out);
    assert_string_equal("W0501 12:00:30.123456      42 text\n", out.ptr);
    las_buf_fini(&out);
}

TEST(verbosity_is_the_sinks)
{
    struct las_log log;
    las_stderr_log_init(&log, 3);
    assert_int_equal(3, log.verbosity);
    assert_non_null(log.sink);
}

TEST_MAIN()
