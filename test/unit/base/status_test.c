#include "test.h"

#include "las/base/status.h"

TEST(statuses_have_names_and_texts)
{
    assert_string_equal("OK", las_status_name(LAS_OK));
    assert_string_equal("E_NOMEM", las_status_name(LAS_E_NOMEM));
    assert_string_equal("E_CANCELED", las_status_name(LAS_E_CANCELED));
    assert_string_equal("out of memory", las_status_text(LAS_E_NOMEM));
    assert_string_equal("E_UNKNOWN", las_status_name((enum las_status)999));
    assert_string_equal("unknown error", las_status_text((enum las_status) - 1));
}

TEST(context_goes_in_front)
{
    struct las_err err;
    assert_int_equal(LAS_E_INVALID, las_err_set(&err, LAS_E_INVALID, "must be %d", 5));
    assert_int_equal(LAS_E_INVALID, las_err_ctx(&err, LAS_E_INVALID, "spec.%s", "x"));
    assert_int_equal(LAS_E_IO, las_err_ctx(&err, LAS_E_IO, "watch"));
    assert_string_equal("watch: spec.x: must be 5", err.text);
    assert_int_equal(LAS_E_IO, err.status);
    assert_int_equal(LAS_E_IO, las_err_set(NULL, LAS_E_IO, "x"));
    assert_int_equal(LAS_E_IO, las_err_ctx(NULL, LAS_E_IO, "x"));
}

TEST(long_texts_are_cut)
{
    struct las_err err;
    char text[1000];
    memset(text, 'x', sizeof(text) - 1);
    text[sizeof(text) - 1] = '\0';
    las_err_set(&err, LAS_E_IO, "%s", text);
    assert_int_equal(LAS_ERR_TEXT_BYTES - 1, strlen(err.text));
    las_err_ctx(&err, LAS_E_IO, "context");
    assert_int_equal(LAS_ERR_TEXT_BYTES - 1, strlen(err.text));
    assert_memory_equal("context: xxx", err.text, 12);
    las_err_ctx(&err, LAS_E_IO, "%s", text);
    assert_int_equal(LAS_ERR_TEXT_BYTES - 1, strlen(err.text));
}

TEST_MAIN()
