#include "test.h"

#include <stdlib.h>

#include "fake/rig.h"

#include "metrics.h"

static void expect(const struct las_buf *text, const char *line)
{
    if (!strstr(text->ptr, line))
        fail_msg("no '%s' in:\n%s", line, text->ptr);
}

TEST(counts_are_those_of_what_happened)
{
    struct rig rig;
    rig_init(&rig);
    rig_node(&rig, "n1", "2");
    rig_latency(&rig, "n1",
                "\"capacity\":{\"latencyPods\":8},\"targets\":[{\"name\":\"ny4\",\"rtt\":{"
                "\"p99Microseconds\":40}}]");
    rig_start(&rig);
    rig_pod(&rig, "a", "1", "\"latency-target-us\":\"50\"");
    rig_pod(&rig, "b", "9", "");
    rig_pod(&rig, "c", "1", "\"latency-target-us\":\"x\"");
    rig_run(&rig, 5 * RIG_S);
    struct las_buf text;
    las_buf_init(&text, LAS_METRICS_BYTES_MAX);
    las_metrics_write(rig.scheduler, &text);
    expect(&text, "scheduler_schedule_attempts_total{profile=\"latency-aware-scheduler\",result="
                  "\"scheduled\"} 1\n");
    expect(&text, "scheduler_schedule_attempts_total{profile=\"latency-aware-scheduler\",result="
                  "\"unschedulable\"} 1\n");
    expect(&text, "scheduler_schedule_attempts_total{profile=\"latency-aware-scheduler\",result="
                  "\"error\"} 1\n");
    expect(&text, "scheduler_scheduling_algorithm_duration_seconds_count 3\n");
    expect(&text, "scheduler_pending_pods{queue=\"unschedulable\"} 2\n");
    expect(&text, "las_reflector_watching{resource=\"nodelatencies\"} 1\n");
    expect(&text,
           "las_api_requests_total{verb=\"POST\",resource=\"pods/binding\",code=\"201\"} 1\n");
    expect(&text, "las_api_requests_total{verb=\"LIST\",resource=\"pods\",code=\"200\"} 1\n");
    expect(&text, "las_node_latency_pods_capacity{node=\"n1\"} 8\n");
    expect(&text, "las_node_latency_pods_reserved{node=\"n1\"} 1\n");
    assert_null(strstr(text.ptr, "las_node_latency_bandwidth_capacity_mbps{"));
    las_buf_fini(&text);
    rig_fini(&rig);
}

/* The text format: every sample line belongs to the # TYPE before it, values are numbers, no name
 * is declared twice. */
TEST(the_text_is_what_prometheus_reads)
{
    struct rig rig;
    rig_init(&rig);
    rig_start(&rig);
    rig_run(&rig, RIG_S);
    struct las_buf text;
    las_buf_init(&text, LAS_METRICS_BYTES_MAX);
    las_metrics_write(rig.scheduler, &text);
    struct las_slice rest = las_buf_slice(&text), line;
    char declared[128] = "";
    int samples = 0;
    while (las_slice_cut(rest, '\n', &line, &rest)) {
        char copy[512];
        snprintf(copy, sizeof(copy), "%.*s", LAS_SLICE_ARG(line));
        if (sscanf(copy, "# TYPE %127s", declared) == 1 || copy[0] == '#')
            continue;
        char *blank = strrchr(copy, ' '), *end;
        assert_non_null(blank);
        (void)strtod(blank + 1, &end);
        assert_string_equal("", end);
        assert_int_equal(0, strncmp(copy, declared, strlen(declared)));
        samples++;
    }
    assert_true(samples > 40);
    las_buf_fini(&text);
    rig_fini(&rig);
}

TEST_MAIN()
