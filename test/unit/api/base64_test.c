#include "test.h"

#include "../../../src/api/base64_priv.h"

static enum las_status decode(struct las_slice text, char *out, size_t size)
{
    struct las_arena arena;
    struct las_slice bytes = {"", 0};
    las_arena_init(&arena, 256, 1 << 20);
    enum las_status st = las_base64_decode(text, &arena, &bytes);
    assert_true(bytes.len < size);
    if (bytes.len)
        memcpy(out, bytes.ptr, bytes.len);
    out[bytes.len] = '\0';
    las_arena_fini(&arena);
    return st;
}

TEST(text_is_decoded_and_white_space_passed_over)
{
    /* A35: wrapped lines, CR LF, blanks. RFC 4648, section 10. */
    static const char *const rows[][2] = {{"", ""},
                                          {"Zg==", "f"},
                                          {"Zm8=", "fo"},
                                          {"Zm9v", "foo"},
                                          {"Zm9vYg==", "foob"},
                                          {"Zm9vYmE=", "fooba"},
                                          {"Zm9vYmFy", "foobar"},
                                          {"Zm9v\nYmFy\n", "foobar"},
                                          {"Zm9v\r\nYmFy\r\n", "foobar"},
                                          {" Z m 9 v\tY g = = ", "foob"},
                                          {"Zg=\n=", "f"}};
    for (size_t i = 0; i < LAS_COUNT_OF(rows); i++) {
        char out[100];
        assert_int_equal(LAS_OK, decode(las_slice_of(rows[i][0]), out, sizeof(out)));
        assert_string_equal(rows[i][1], out);
    }
}

TEST(other_bytes_and_wrong_padding_are_refused)
{
    static const char *const rows[] = {"Z",     "Zg",    "Zg=",   "Zg===",    "Zm9",
                                       "Zm9v=", "Z===",  "====",  "Zg==Zg==", "Zm-v",
                                       "Zm_v",  "Zm9v!", "Zm9v.", "=Zg="};
    for (size_t i = 0; i < LAS_COUNT_OF(rows); i++) {
        char out[100];
        if (decode(las_slice_of(rows[i]), out, sizeof(out)) != LAS_E_SYNTAX)
            fail_msg("accepted: %s", rows[i]);
    }
    char out[100];
    assert_int_equal(LAS_E_SYNTAX, decode(LAS_SLICE("Zm9v\0"), out, sizeof(out)));
}

TEST_MAIN()
