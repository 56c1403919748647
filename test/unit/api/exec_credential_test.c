#include "test.h"

#include "las/api/decode.h"
#include "las/api/kubeconfig.h"

static struct las_arena arena;

static enum las_status decode(const char *text, struct las_exec_credential *out,
                              struct las_err *err)
{
    struct las_decoder *decoder;
    assert_int_equal(LAS_OK, las_decoder_new(&decoder));
    las_arena_fini(&arena);
    las_arena_init(&arena, 1024, 1 << 20);
    err->text[0] = '\0';
    enum las_status st =
        las_exec_credential_decode(decoder, las_slice_of(text),
                                   LAS_SLICE("client.authentication.k8s.io/v1"), &arena, out, err);
    las_decoder_free(decoder);
    return st;
}

#define HEAD                                                                                       \
    "{\"apiVersion\":\"client.authentication.k8s.io/v1\",\"kind\":\"ExecCredential\",\"status\":"

TEST(tokens_and_certificates_are_read)
{
    /* A32. */
    struct las_exec_credential out;
    struct las_err err;
    assert_int_equal(LAS_OK, decode(HEAD "{\"token\":\"t\"}}", &out, &err));
    assert_true(las_slice_is(out.token, "t"));
    assert_int_equal(0, out.cert_pem.len);
    assert_int_equal(0, out.expires_us);
    assert_int_equal(LAS_OK, decode(HEAD "{\"token\":null,\"expirationTimestamp\":\"1970-01-01T00:"
                                         "00:05Z\",\"clientCertificateData\":\"c\","
                                         "\"clientKeyData\":\"k\"}}",
                                    &out, &err));
    assert_int_equal(0, out.token.len);
    assert_true(las_slice_is(out.cert_pem, "c"));
    assert_true(las_slice_is(out.key_pem, "k"));
    assert_int_equal(5000000, out.expires_us);
}

TEST(a_long_token_is_kept_whole)
{
    /* A52. */
    struct las_exec_credential out;
    struct las_err err;
    struct las_buf text;
    las_buf_init(&text, 1 << 20);
    las_buf_str(&text, HEAD "{\"token\":\"");
    for (int i = 0; i < 100 * 1024; i++)
        las_buf_char(&text, 'x');
    las_buf_str(&text, "\"}}");
    assert_int_equal(LAS_OK, decode(text.ptr, &out, &err));
    assert_int_equal(100 * 1024, out.token.len);
    las_buf_fini(&text);
}

TEST(a_bad_answer_is_refused_and_its_secrets_are_not_shown)
{
    static const char *const rows[][2] = {
        {"secret", "no JSON"},
        {"", "no JSON"},
        {HEAD "{\"token\":\"secret\"", "no JSON"},
        {"{}", "kind: must be ExecCredential"},
        {"{\"kind\":\"ExecCredential\",\"apiVersion\":\"client.authentication.k8s.io/"
         "v1beta1\",\"status\":{\"token\":\"secret\"}}",
         "apiVersion: must be client.authentication.k8s.io/v1, got "
         "'client.authentication.k8s.io/v1beta1'"},
        {HEAD "null}", "neither a token nor a client certificate"},
        {HEAD "{}}", "neither a token nor a client certificate"},
        {HEAD "{\"token\":\"\"}}", "neither a token nor a client certificate"},
        {HEAD "{\"clientCertificateData\":\"secret\"}}", "must be set together"},
        {HEAD "{\"token\":\"secret\",\"clientKeyData\":\"secret\"}}", "must be set together"},
        {HEAD "{\"token\":\"secret\",\"expirationTimestamp\":\"soon\"}}",
         "status.expirationTimestamp: must be an RFC 3339 time, got 'soon'"}};
    for (size_t i = 0; i < LAS_COUNT_OF(rows); i++) {
        struct las_exec_credential out;
        struct las_err err;
        if (decode(rows[i][0], &out, &err) == LAS_OK || !strstr(err.text, rows[i][1]) ||
            strstr(err.text, "secret"))
            fail_msg("%s: %s", rows[i][0], err.text);
    }
    las_arena_fini(&arena);
}

TEST_MAIN()
