#include "test.h"

#include "fake/rig.h"

#define WANT "\"latency-target-us\":\"50\""
#define NY4(us) "\"targets\":[{\"name\":\"ny4\",\"rtt\":{\"p99Microseconds\":" #us "}}]"

static void set_up(struct rig *rig, const char *cpu, const char *latency)
{
    rig_init(rig);
    rig_node(rig, "n1", cpu);
    if (latency)
        rig_latency(rig, "n1", latency);
    rig_start(rig);
    rig_run(rig, RIG_S);
}

TEST(a_waiting_pod_is_bound_at_once_when_what_refused_it_changes)
{
    struct rig rig;
    set_up(&rig, "1", NY4(90));
    rig_pod(&rig, "a", "1", WANT);
    rig_run(&rig, 3 * RIG_S);
    assert_string_equal("", rig_pod_node(&rig, "a"));
    rig_latency(&rig, "n1", NY4(30));
    rig_run(&rig, RIG_S / 100);
    assert_string_equal("n1", rig_pod_node(&rig, "a"));
    /* Full: the next waits until the first is gone, then takes its place at once. */
    rig_pod(&rig, "b", "1", WANT);
    rig_run(&rig, 3 * RIG_S);
    assert_string_equal("0/1 nodes are available: 1 Insufficient cpu.",
                        fake_pod_condition(&rig.server, "ns", "b"));
    fake_delete(&rig.server, LAS_KIND_POD, "ns", "a");
    rig_run(&rig, RIG_S / 100);
    assert_string_equal("n1", rig_pod_node(&rig, "b"));
    assert_int_equal(0, rig.scheduler->queue.flush_saved);
    rig_fini(&rig);
}

TEST(a_new_node_takes_waiting_pods_and_heartbeats_wake_nobody)
{
    /* Fault B28. */
    struct rig rig;
    set_up(&rig, "1", NULL);
    rig_pod(&rig, "large", "8", "");
    rig_run(&rig, RIG_S);
    uint64_t decisions = rig.scheduler->counters.decision_count;
    for (int i = 0; i < 100; i++) {
        rig_node(&rig, "n1", "1");
        rig_run(&rig, RIG_S / 10);
    }
    assert_int_equal(decisions, rig.scheduler->counters.decision_count);
    rig_node(&rig, "n2", "8");
    rig_run(&rig, RIG_S / 100);
    assert_string_equal("n2", rig_pod_node(&rig, "large"));
    rig_fini(&rig);
}

TEST(our_own_writes_wake_nobody)
{
    /* Fault C03: an idle cluster makes no writes, whatever waits in it. */
    struct rig rig;
    set_up(&rig, "1", NY4(90));
    rig_pod(&rig, "a", "1", WANT);
    rig_pod(&rig, "b", "9", "");
    rig_run(&rig, 5 * RIG_S);
    uint64_t conditions = rig.server.conditions, statuses = rig.server.statuses,
             events = rig.server.events;
    rig_run(&rig, 290 * RIG_S);
    assert_int_equal(conditions, rig.server.conditions);
    assert_int_equal(statuses, rig.server.statuses);
    assert_int_equal(events, rig.server.events);
    rig_fini(&rig);
}

TEST(a_pod_that_did_not_change_for_us_is_not_decided_again)
{
    /* The condition that we write comes back as a change of the pod. */
    struct rig rig;
    set_up(&rig, "1", NULL);
    rig_pod(&rig, "a", "9", "");
    rig_run(&rig, 30 * RIG_S);
    assert_int_equal(1, rig.server.conditions);
    assert_int_equal(1, rig.scheduler->counters.decision_count);
    rig_fini(&rig);
}

TEST(a_refusal_is_said_again_after_five_minutes_as_a_count)
{
    /* Fault B43. */
    struct rig rig;
    set_up(&rig, "1", NULL);
    rig_pod(&rig, "a", "9", "");
    rig_run(&rig, 3600 * RIG_S);
    assert_true(rig.server.events >= 2);
    assert_true(rig.server.events <= 13);
    assert_int_equal(1, rig.server.conditions);
    assert_non_null(strstr(rig.server.log.ptr, "3 /apis/events.k8s.io/v1/namespaces/ns/events/a."));
    rig_fini(&rig);
}

TEST(malformed_annotations_wait_for_their_correction)
{
    struct rig rig;
    set_up(&rig, "1", NY4(30));
    rig_pod(&rig, "a", "1", "\"latency-target-us\":\"50us\"");
    rig_run(&rig, 400 * RIG_S);
    assert_string_equal("", rig_pod_node(&rig, "a"));
    assert_non_null(
        strstr(rig.server.event_notes.ptr,
               "InvalidLatencyAnnotation: annotation latency-target-us: must be digits only"));
    rig_pod(&rig, "a", "1", WANT);
    rig_run(&rig, RIG_S / 100);
    assert_string_equal("n1", rig_pod_node(&rig, "a"));
    rig_fini(&rig);
}

TEST(typos_are_warned_of_once)
{
    struct rig rig;
    set_up(&rig, "1", NY4(30));
    rig_pod(&rig, "a", "9", WANT ",\"nodelatency.dev/percentil\":\"p99\"");
    rig_run(&rig, 400 * RIG_S);
    const char *first =
        strstr(rig.server.event_notes.ptr, "UnknownAnnotation: nodelatency.dev/percentil");
    assert_non_null(first);
    assert_null(strstr(first + 1, "UnknownAnnotation"));
    rig_fini(&rig);
}

TEST(a_terminating_pod_is_not_bound)
{
    /* Fault B07. */
    struct rig rig;
    set_up(&rig, "1", NULL);
    fake_put(&rig.server, LAS_KIND_POD, "ns", "a",
             "{\"kind\":\"Pod\",\"metadata\":{\"name\":\"a\",\"namespace\":\"ns\","
             "\"deletionTimestamp\":\"2026-05-01T12:00:00Z\"},"
             "\"spec\":{\"schedulerName\":\"latency-aware-scheduler\",\"containers\":[]}}");
    rig_run(&rig, 5 * RIG_S);
    assert_string_equal("", rig_pod_node(&rig, "a"));
    assert_int_equal(0, las_map_count(&rig.scheduler->queue.by_uid));
    rig_fini(&rig);
}

TEST(only_pods_of_our_name_are_ours)
{
    /* Fault B36. */
    struct rig rig;
    set_up(&rig, "8", NULL);
    const char *const names[] = {"", "default-scheduler", "latency-aware-scheduler2",
                                 "latency-aware"};
    for (size_t i = 0; i < LAS_COUNT_OF(names); i++) {
        char json[512], name[8];
        snprintf(name, sizeof(name), "p%zu", i);
        snprintf(json, sizeof(json),
                 "{\"kind\":\"Pod\",\"metadata\":{\"name\":\"%s\",\"namespace\":\"ns\"},\"spec\":{"
                 "\"schedulerName\":\"%s\",\"containers\":[]}}",
                 name, names[i]);
        fake_put(&rig.server, LAS_KIND_POD, "ns", name, json);
    }
    rig_run(&rig, 5 * RIG_S);
    assert_int_equal(0, rig.server.binds);
    rig_fini(&rig);
}

TEST_MAIN()
