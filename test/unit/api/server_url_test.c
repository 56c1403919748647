#include "test.h"

#include "las/api/kubeconfig.h"

TEST(parts_of_a_url)
{
    static const struct {
        const char *url, *host, *path;
        int port;
        bool plain;
    } rows[] = {{"https://10.0.0.1:6443", "10.0.0.1", "", 6443, false},
                {"https://api.example.com", "api.example.com", "", 443, false},
                {"http://localhost", "localhost", "", 80, true},
                {"http://localhost:8080/", "localhost", "", 8080, true},
                {"https://[::1]:6443", "::1", "", 6443, false},
                {"https://[2001:db8::1]", "2001:db8::1", "", 443, false},
                {"https://rancher.example.com/k8s/clusters/c-1/", "rancher.example.com",
                 "/k8s/clusters/c-1", 443, false},
                {"https://h:1/p", "h", "/p", 1, false},
                {"https://h:65535///", "h", "", 65535, false}};
    for (size_t i = 0; i < LAS_COUNT_OF(rows); i++) {
        struct las_server_url url;
        struct las_err err;
        assert_int_equal(LAS_OK, las_server_url_parse(las_slice_of(rows[i].url), &url, &err));
        assert_true(las_slice_is(url.host, rows[i].host));
        assert_true(las_slice_is(url.path_prefix, rows[i].path));
        assert_int_equal(rows[i].port, url.port);
        assert_int_equal(rows[i].plain, url.plain_http);
    }
}

TEST(what_is_no_server_is_refused_with_the_reason)
{
    static const char *const rows[][2] = {
        {"", "must begin with https:// or http://"},
        {"10.0.0.1:6443", "must begin with"},
        {"HTTPS://h", "must begin with"},
        {"ftp://h", "must begin with"},
        {"https://", "the host must have"},
        {"https://:6443", "the host must have"},
        {"https://h:0", "the port must be a number"},
        {"https://h:65536", "the port must be a number"},
        {"https://h:6443x", "the port must be a number"},
        {"https://h:-1", "the port must be a number"},
        {"https://::1", "must stand in brackets"},
        {"https://[::1", "without ']'"},
        {"https://[::1]x", "must be a host and a port"},
        {"https://user:secret@h", "must hold no user and no password"},
        {"https://user@h", "must hold no user and no password"},
        {"https://h x", "no valid host"},
        {"https://h\r\nX: y", "no valid host"},
        {"https://h?x", "no query"},
        {"https://h/p?x", "no query"},
        {"https://h/p#f", "no query"}};
    for (size_t i = 0; i < LAS_COUNT_OF(rows); i++) {
        struct las_server_url url;
        struct las_err err = {.text = ""};
        if (las_server_url_parse(las_slice_of(rows[i][0]), &url, &err) != LAS_E_INVALID ||
            !strstr(err.text, rows[i][1]))
            fail_msg("%s: %s", rows[i][0], err.text);
    }
}

TEST_MAIN()
