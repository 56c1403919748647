#include "test.h"

#include "fake/rig.h"

#include "health.h"

static int ask(const struct rig *rig, const char *path, char *text, size_t size)
{
    const char *content_type = NULL;
    struct las_buf body;
    las_buf_init(&body, 1u << 20);
    int code = las_health_answer(rig->scheduler, las_slice_of(path), &content_type, &body);
    assert_non_null(content_type);
    snprintf(text, size, "%s", body.ptr);
    las_buf_fini(&body);
    return code;
}

TEST(alive_from_the_start_and_ready_once_all_is_synced)
{
    struct rig rig;
    char text[256];
    rig_init(&rig);
    fake_add_fault(&rig.server, (struct fake_fault){.kind = FAKE_DELAY,
                                                    .method = LAS_GET,
                                                    .match = "/pods",
                                                    .delay_ns = 2 * RIG_S});
    rig_start(&rig);
    rig_run(&rig, RIG_S);
    assert_int_equal(200, ask(&rig, "/livez", text, sizeof(text)));
    assert_int_equal(503, ask(&rig, "/readyz", text, sizeof(text)));
    assert_string_equal("pods are not listed yet", text);
    rig_run(&rig, 2 * RIG_S);
    assert_int_equal(200, ask(&rig, "/readyz", text, sizeof(text)));
    assert_string_equal("ok", text);
    assert_int_equal(200, ask(&rig, "/metrics", text, sizeof(text)));
    assert_int_equal(404, ask(&rig, "/nothing", text, sizeof(text)));
    rig_fini(&rig);
}

TEST(an_api_server_that_is_away_does_not_fail_liveness)
{
    /* Fault B56. */
    struct rig rig;
    char text[256];
    rig_init(&rig);
    rig_start(&rig);
    rig_run(&rig, RIG_S);
    fake_add_fault(&rig.server,
                   (struct fake_fault){
                       .kind = FAKE_LOSE_REQUEST, .method = LAS_GET, .match = "", .times = 1000});
    fake_cut_watches(&rig.server, false);
    rig_run(&rig, 600 * RIG_S);
    assert_int_equal(200, ask(&rig, "/livez", text, sizeof(text)));
    assert_int_equal(200, ask(&rig, "/readyz", text, sizeof(text)));
    rig_fini(&rig);
}

TEST_MAIN()
