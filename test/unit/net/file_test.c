#include "test.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "las/base/mem.h"
#include "las/net/file.h"

static char folder[64];
static char path[128];

static void write_bytes(const char *bytes, size_t len)
{
    if (!folder[0]) {
        strcpy(folder, "/tmp/las-file-test-XXXXXX");
        assert_non_null(mkdtemp(folder));
    }
    snprintf(path, sizeof(path), "%s/file", folder);
    FILE *file = fopen(path, "w");
    assert_int_equal(len, fwrite(bytes, 1, len, file));
    fclose(file);
}

static void clean(void)
{
    unlink(path);
    rmdir(folder);
    folder[0] = '\0';
    assert_int_equal(0, las_mem_usage().blocks);
}

static void expect(const char *bytes, size_t len, const char *text)
{
    struct las_buf out;
    struct las_err err;
    las_buf_init(&out, LAS_FILE_BYTES_MAX);
    write_bytes(bytes, len);
    assert_int_equal(LAS_OK, las_file_read(path, &out, &err));
    assert_int_equal(strlen(text), out.len);
    assert_memory_equal(text, out.ptr ? out.ptr : "", out.len);
    las_buf_fini(&out);
    clean();
}

TEST(byte_order_mark_is_left_out)
{
    expect("plain\n", 6, "plain\n");
    expect("\xef\xbb\xbfmarked", 9, "marked");
    expect("\xef\xbb\xbf", 3, "");
    expect("", 0, "");
}

TEST(utf16_is_refused_by_name)
{
    static const char *const texts[] = {"\xff\xfe"
                                        "a\0",
                                        "\xfe\xff\0a"};
    for (int i = 0; i < 2; i++) {
        struct las_buf out;
        struct las_err err;
        las_buf_init(&out, 100);
        write_bytes(texts[i], 4);
        assert_int_equal(LAS_E_INVALID, las_file_read(path, &out, &err));
        assert_non_null(strstr(err.text, "UTF-16"));
        assert_non_null(strstr(err.text, path));
        las_buf_fini(&out);
        clean();
    }
}

TEST(what_cannot_be_read_is_named)
{
    struct las_buf out;
    struct las_err err;
    las_buf_init(&out, 100);
    assert_int_equal(LAS_E_NOTFOUND, las_file_read("/nonexistent/file", &out, &err));
    assert_non_null(strstr(err.text, "/nonexistent/file"));
    assert_int_equal(LAS_E_IO, las_file_read("/tmp", &out, &err));
    las_buf_fini(&out);
}

TEST(file_over_the_limit_is_refused)
{
    struct las_buf out;
    struct las_err err;
    size_t len = LAS_FILE_BYTES_MAX + 1;
    char *text = calloc(1, len);
    write_bytes(text, len);
    las_buf_init(&out, 2 * LAS_FILE_BYTES_MAX);
    assert_int_equal(LAS_E_LIMIT, las_file_read(path, &out, &err));
    las_buf_fini(&out);
    las_buf_init(&out, 1000);
    assert_int_equal(LAS_E_LIMIT, las_file_read(path, &out, &err));
    las_buf_fini(&out);
    free(text);
    clean();
}

TEST(stamp_changes_when_a_symlink_on_the_way_is_swapped)
{
    char a[128], b[128], data[128], next[128], file[160];
    write_bytes("x", 1);
    snprintf(a, sizeof(a), "%s/a", folder);
    snprintf(b, sizeof(b), "%s/b", folder);
    snprintf(data, sizeof(data), "%s/..data", folder);
    snprintf(next, sizeof(next), "%s/..next", folder);
    snprintf(file, sizeof(file), "%s/..data/token", folder);
    for (int i = 0; i < 2; i++) {
        char token[160];
        mkdir(i ? b : a, 0700);
        snprintf(token, sizeof(token), "%s/token", i ? b : a);
        FILE *out = fopen(token, "w");
        fputs("same", out);
        fclose(out);
    }
    assert_int_equal(0, symlink(a, data));
    struct las_file_stamp one = las_file_stamp(file), same = las_file_stamp(file);
    assert_true(las_file_stamp_equal(&one, &same));
    assert_int_equal(0, symlink(b, next));
    assert_int_equal(0, rename(next, data));
    struct las_file_stamp two = las_file_stamp(file), none = las_file_stamp("/nonexistent");
    assert_false(las_file_stamp_equal(&one, &two));
    assert_int_equal(0, none.inode);
    char command[200];
    snprintf(command, sizeof(command), "rm -r %s", folder);
    assert_int_equal(0, system(command));
    folder[0] = '\0';
}

TEST(empty_variable_counts_as_unset)
{
    setenv("LAS_TEST_VARIABLE", "", 1);
    assert_null(las_env("LAS_TEST_VARIABLE"));
    setenv("LAS_TEST_VARIABLE", "x", 1);
    assert_string_equal("x", las_env("LAS_TEST_VARIABLE"));
    unsetenv("LAS_TEST_VARIABLE");
    assert_null(las_env("LAS_TEST_VARIABLE"));
}

TEST(host_name_is_cut_to_size)
{
    char name[256], cut[3];
    las_host_name(name, sizeof(name));
    las_host_name(cut, sizeof(cut));
    assert_true(name[0] != '\0');
    assert_true(strlen(cut) < sizeof(cut));
}

TEST_MAIN()
