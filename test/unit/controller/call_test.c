#include "test.h"

#include "fake/rig.h"

TEST(what_the_server_cannot_have_acted_on)
{
    const struct {
        enum las_outcome outcome;
        int code;
        enum las_failure failure;
        bool not_acted;
    } rows[] = {
        {LAS_OUTCOME_NOT_SENT, 0, LAS_FAILURE_SERVER, true},
        {LAS_OUTCOME_UNKNOWN, 0, LAS_FAILURE_SERVER, false},
        {LAS_OUTCOME_ANSWERED, 201, LAS_FAILURE_NONE, false},
        {LAS_OUTCOME_ANSWERED, 429, LAS_FAILURE_THROTTLED, true},
        {LAS_OUTCOME_ANSWERED, 401, LAS_FAILURE_UNAUTHORIZED, true},
        {LAS_OUTCOME_ANSWERED, 403, LAS_FAILURE_FORBIDDEN, true},
        {LAS_OUTCOME_ANSWERED, 422, LAS_FAILURE_INVALID, true},
        {LAS_OUTCOME_ANSWERED, 302, LAS_FAILURE_ODD, true},
        {LAS_OUTCOME_ANSWERED, 503, LAS_FAILURE_SERVER, true},
        {LAS_OUTCOME_ANSWERED, 500, LAS_FAILURE_SERVER, false},
        {LAS_OUTCOME_ANSWERED, 504, LAS_FAILURE_SERVER, false},
        {LAS_OUTCOME_ANSWERED, 409, LAS_FAILURE_CONFLICT, false},
    };
    for (size_t i = 0; i < LAS_COUNT_OF(rows); i++) {
        struct las_answer answer = {
            .outcome = rows[i].outcome, .code = rows[i].code, .failure = rows[i].failure};
        assert_int_equal(rows[i].not_acted, las_answer_not_acted(&answer));
    }
}

struct seen {
    int calls;
    int code;
    enum las_outcome outcome;
    char body[64], text[128];
};

static void on_done(void *self, void *context, const struct las_answer *answer)
{
    struct seen *seen = self;
    assert_ptr_equal(seen, context);
    seen->calls++;
    seen->code = answer->code;
    seen->outcome = answer->outcome;
    snprintf(seen->body, sizeof(seen->body), "%.*s", LAS_SLICE_ARG(answer->body));
    snprintf(seen->text, sizeof(seen->text), "%s", answer->text);
}

TEST(an_answer_is_told_once_with_its_meaning_and_counted)
{
    struct fake_server server;
    struct las_decoder *decoder;
    struct las_caller caller;
    struct seen seen = {0};
    fake_init(&server);
    assert_int_equal(LAS_OK, las_decoder_new(&decoder));
    las_caller_init(&caller, &server.transport, decoder);
    const struct las_call_request request = {
        .method = LAS_GET, .path = LAS_SLICE("/api/v1/namespaces/ns/pods/a"), .resource = "pods"};
    assert_int_equal(LAS_OK, las_call_start(&caller, &request, on_done, &seen, &seen));
    assert_int_equal(0, seen.calls);
    while (fake_deliver(&server))
        ;
    assert_int_equal(1, seen.calls);
    assert_int_equal(404, seen.code);
    assert_string_equal("pods not found", seen.text);
    fake_add_fault(
        &server, (struct fake_fault){.kind = FAKE_LOSE_BOTH, .method = LAS_GET, .match = "/pods"});
    assert_int_equal(LAS_OK, las_call_start(&caller, &request, on_done, &seen, &seen));
    while (fake_deliver(&server))
        ;
    assert_int_equal(LAS_OUTCOME_UNKNOWN, seen.outcome);
    assert_string_equal("injected: connection lost", seen.text);
    assert_int_equal(2, caller.count_kinds);
    assert_int_equal(404, caller.counts[0].code);
    assert_int_equal(0, caller.counts[1].code);
    assert_int_equal(0, caller.in_flight);
    las_caller_fini(&caller);
    las_decoder_free(decoder);
    fake_fini(&server);
}

TEST(finishing_cancels_without_a_word)
{
    struct fake_server server;
    struct las_caller caller;
    struct seen seen = {0};
    fake_init(&server);
    las_caller_init(&caller, &server.transport, NULL);
    const struct las_call_request request = {
        .method = LAS_GET, .path = LAS_SLICE("/api/v1/namespaces/ns/pods/a"), .resource = "pods"};
    assert_int_equal(LAS_OK, las_call_start(&caller, &request, on_done, &seen, &seen));
    las_caller_fini(&caller);
    assert_false(fake_deliver(&server));
    assert_int_equal(0, seen.calls);
    fake_fini(&server);
}

TEST_MAIN()
