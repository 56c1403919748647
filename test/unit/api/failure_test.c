#include "test.h"

#include "las/api/decode.h"
#include "las/api/failure.h"

static enum las_failure failure_of(int code, const char *type, struct las_slice body,
                                   char text[LAS_ERR_TEXT_BYTES])
{
    struct las_decoder *decoder;
    assert_int_equal(LAS_OK, las_decoder_new(&decoder));
    enum las_failure failure = las_failure_of(decoder, code, las_slice_of(type), body, text);
    las_decoder_free(decoder);
    return failure;
}

TEST(codes_mean_kinds)
{
    static const struct {
        int code;
        enum las_failure expected;
    } rows[] = {
        {200, LAS_FAILURE_NONE},         {201, LAS_FAILURE_NONE},      {204, LAS_FAILURE_NONE},
        {100, LAS_FAILURE_ODD},          {0, LAS_FAILURE_ODD},         {302, LAS_FAILURE_ODD},
        {307, LAS_FAILURE_ODD},          {600, LAS_FAILURE_ODD},       {400, LAS_FAILURE_INVALID},
        {401, LAS_FAILURE_UNAUTHORIZED}, {403, LAS_FAILURE_FORBIDDEN}, {404, LAS_FAILURE_NOT_FOUND},
        {405, LAS_FAILURE_INVALID},      {406, LAS_FAILURE_INVALID},   {409, LAS_FAILURE_CONFLICT},
        {410, LAS_FAILURE_GONE},         {413, LAS_FAILURE_INVALID},   {415, LAS_FAILURE_INVALID},
        {422, LAS_FAILURE_INVALID},      {429, LAS_FAILURE_THROTTLED}, {500, LAS_FAILURE_SERVER},
        {502, LAS_FAILURE_SERVER},       {503, LAS_FAILURE_SERVER},    {504, LAS_FAILURE_SERVER}};
    for (size_t i = 0; i < LAS_COUNT_OF(rows); i++) {
        char text[LAS_ERR_TEXT_BYTES];
        /* A40: no body. */
        assert_int_equal(rows[i].expected, failure_of(rows[i].code, "application/json",
                                                      (struct las_slice){NULL, 0}, text));
        assert_int_equal(rows[i].expected == LAS_FAILURE_NONE, text[0] == '\0');
        assert_true(las_failure_name(rows[i].expected)[0] != '\0');
    }
    assert_string_equal("unknown", las_failure_name((enum las_failure)77));
}

TEST(the_message_of_a_status_is_told)
{
    char text[LAS_ERR_TEXT_BYTES];
    static const char body[] = "{\"kind\":\"Status\",\"status\":\"Failure\",\"message\":"
                               "\"Operation cannot be fulfilled on pods/binding \\\"b1\\\": "
                               "pod b1 is already assigned to node "
                               "\\\"node-1\\\"\\n\",\"reason\":\"Conflict\",\"code\":409}";
    assert_int_equal(LAS_FAILURE_CONFLICT,
                     failure_of(409, "application/json; charset=utf-8", LAS_SLICE(body), text));
    assert_string_equal("Operation cannot be fulfilled on pods/binding \"b1\": pod b1 is already "
                        "assigned to node \"node-1\" ",
                        text);
}

TEST(a_version_of_the_future_is_known_by_cause_or_words)
{
    /* A03. */
    char text[LAS_ERR_TEXT_BYTES];
    static const char cause[] =
        "{\"kind\":\"Status\",\"message\":\"Timeout: "
        "x\",\"reason\":\"Timeout\",\"code\":504,\"details\":{\"causes\":[{},"
        "{\"reason\":\"ResourceVersionTooLarge\",\"message\":\"Too large resource version\"}]}}";
    static const char words[] = "{\"kind\":\"Status\",\"message\":\"Too large resource version: 9, "
                                "current: 5\",\"code\":504}";
    static const char other[] =
        "{\"kind\":\"Status\",\"message\":\"Timeout: request did not complete\",\"code\":504}";
    assert_int_equal(LAS_FAILURE_TOO_NEW,
                     failure_of(504, "application/json", LAS_SLICE(cause), text));
    assert_int_equal(LAS_FAILURE_TOO_NEW,
                     failure_of(504, "application/json", LAS_SLICE(words), text));
    assert_int_equal(LAS_FAILURE_SERVER,
                     failure_of(504, "application/json", LAS_SLICE(other), text));
    assert_int_equal(LAS_FAILURE_NOT_FOUND,
                     failure_of(404, "application/json", LAS_SLICE(cause), text));
}

TEST(bodies_that_are_no_status_are_shown_in_part)
{
    char text[LAS_ERR_TEXT_BYTES];
    assert_int_equal(LAS_FAILURE_THROTTLED,
                     failure_of(429, "text/plain; charset=utf-8",
                                LAS_SLICE("Too many requests, please try again later.\n"), text));
    assert_string_equal("code 429: Too many requests, please try again later. ", text);
    assert_int_equal(
        LAS_FAILURE_SERVER,
        failure_of(502, "text/html", LAS_SLICE("<html>\r\n\x1b[31m\xe9\xc3\xa9"), text));
    assert_string_equal("code 502: <html>   [31m?\xc3\xa9", text);
    assert_int_equal(LAS_FAILURE_NOT_FOUND,
                     failure_of(404, "application/json", LAS_SLICE("{\"kind\":"), text));
    assert_string_equal("code 404: {\"kind\":", text);
    assert_int_equal(LAS_FAILURE_NOT_FOUND,
                     failure_of(404, "application/json", LAS_SLICE("{\"kind\":\"Pod\"}"), text));
    assert_string_equal("code 404: {\"kind\":\"Pod\"}", text);
    static char large[5000];
    memset(large, 'x', sizeof(large));
    failure_of(500, "text/plain", las_slice_n(large, sizeof(large)), text);
    assert_int_equal(10 + 200, strlen(text));
}

TEST(a_long_message_is_cut)
{
    char text[LAS_ERR_TEXT_BYTES];
    struct las_buf body;
    las_buf_init(&body, 10000);
    las_buf_str(&body, "{\"kind\":\"Status\",\"message\":\"");
    for (int i = 0; i < 400; i++)
        las_buf_str(&body, "\xe2\x82\xac");
    las_buf_str(&body, "\"}");
    failure_of(422, "application/json", las_buf_slice(&body), text);
    assert_int_equal(510, strlen(text)); /* at a character */
    assert_true(las_utf8_valid(las_slice_of(text)));
    las_buf_fini(&body);
}

TEST_MAIN()
