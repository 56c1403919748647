/* crd/nodelatency.yaml and src/api/node_latency.c keep the same bounds. The cases of test/crd are
 * proved on a real API server: what it accepts must decode, and what it refuses by a rule that the
 * decoder keeps must not. */
#include "test.h"

#include <dirent.h>
#include <stdlib.h>

#include "las/api/decode.h"
#include "las/net/yaml.h"

#ifndef CRD_CASES
#error "CRD_CASES: the folder of the cases"
#endif

/* Refused by the server for what the decoder does not look at: fields that placement does not use,
 * unknown fields, metadata; and what it reads all the same: other notations of a time, an empty
 * interface (none). By the beginning of the name. */
static const char *const beyond[] = {"accelerator",
                                     "interface-",
                                     "interfaces-nine",
                                     "numa-",
                                     "object-name-uppercase",
                                     "probe-period",
                                     "sample-count",
                                     "time-lowercase",
                                     "time-nanoseconds",
                                     "time-not-utc",
                                     "target-address",
                                     "target-duplicate",
                                     "target-timestamp",
                                     "target-interface-empty",
                                     "target-path",
                                     "target-protocol",
                                     "unknown-field",
                                     "version-unknown",
                                     "window"};

static bool is_beyond(const char *name)
{
    for (size_t i = 0; i < LAS_COUNT_OF(beyond); i++)
        if (strncmp(name, beyond[i], strlen(beyond[i])) == 0)
            return true;
    return false;
}

static void read_file(const char *folder, const char *name, struct las_buf *out)
{
    char path[1000], block[4096];
    snprintf(path, sizeof(path), "%s/%s/%s", CRD_CASES, folder, name);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    for (size_t n; (n = fread(block, 1, sizeof(block), file)) > 0;)
        las_buf_add(out, las_slice_n(block, n));
    fclose(file);
}

static enum las_status decode_case(const char *folder, const char *name, struct las_err *err)
{
    struct las_decoder *decoder;
    struct las_object *object = NULL;
    struct las_buf yaml, json;
    las_buf_init(&yaml, 1 << 20);
    las_buf_init(&json, 1 << 20);
    assert_int_equal(LAS_OK, las_decoder_new(&decoder));
    read_file(folder, name, &yaml);
    enum las_status st = las_yaml_to_json(las_buf_slice(&yaml), 0, &json, NULL, err);
    if (st == LAS_OK)
        st = las_decode_object(decoder, LAS_KIND_NODE_LATENCY, las_buf_slice(&json), &object, err);
    las_object_unref(object);
    las_decoder_free(decoder);
    las_buf_fini(&yaml);
    las_buf_fini(&json);
    return st;
}

static int walk(const char *folder, bool accepted)
{
    char path[1000];
    int count = 0, wrong = 0;
    snprintf(path, sizeof(path), "%s/%s", CRD_CASES, folder);
    DIR *dir = opendir(path);
    assert_non_null(dir);
    for (struct dirent *entry; (entry = readdir(dir));) {
        struct las_err err = {.text = ""};
        if (!strstr(entry->d_name, ".yaml") || (!accepted && is_beyond(entry->d_name)))
            continue;
        enum las_status st = decode_case(folder, entry->d_name, &err);
        count++;
        if ((st == LAS_OK) == accepted && (st == LAS_OK || st == LAS_E_INVALID))
            continue;
        wrong++;
        printf("%s/%s: %s %s\n", folder, entry->d_name, las_status_name(st), err.text);
    }
    closedir(dir);
    assert_int_equal(0, wrong);
    return count;
}

TEST(what_the_schema_accepts_decodes)
{
    assert_true(walk("accepted", true) >= 15);
}

TEST(what_the_schema_refuses_is_refused_where_the_decoder_looks)
{
    assert_true(walk("rejected", false) >= 40);
}

TEST(a_status_is_never_a_reason_to_refuse)
{
    assert_true(walk("status-accepted", true) + walk("status-rejected", true) >= 10);
}

TEST_MAIN()
