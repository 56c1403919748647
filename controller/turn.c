/* One turn: pumps, wake-ups, decisions, writes; always in this order. */
#include "turn.h"

#include "scheduler.h"

#include "las/sched/explain.h"

static uint64_t earlier(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Waiting pods may have been refused only because NodeLatency objects were not known. */
static void note_latency_known(struct las_scheduler *s)
{
    bool known = las_pump_synced(&s->pumps[LAS_KIND_NODE_LATENCY]);
    if (known && !s->latency_known)
        for (uint32_t node = 0; node < s->table.count; node++)
            if (s->table.rows[node].flags & LAS_NODE_PRESENT)
                las_node_table_note_improved(&s->table, node);
    s->latency_known = known;
}

/* Ask the waiting pods about each improved node; wake those that it takes. True if some were left
 * for the next turn. */
static bool wake(struct las_scheduler *s, uint64_t now_ns)
{
    const struct las_view view = las_scheduler_view(s, now_ns);
    const struct las_cycle_options options = {.skip_untargeted = s->config.skip_untargeted};
    uint32_t checks = 0;
    while (checks < LAS_WAKE_CHECKS_PER_TURN) {
        uint32_t node = las_node_table_take_improved(&s->table);
        if (node == LAS_NODE_NONE)
            return false;
        struct las_queued_pod *next;
        for (struct las_queued_pod *pod = las_queue_first_parked(&s->queue); pod; pod = next) {
            next = las_queue_next_parked(&s->queue, pod);
            checks++;
            if (las_cycle_node_takes(&view, pod->pod, &options, node))
                LAS_IGNORE(las_queue_wake(
                    &s->queue, pod)); /* Out of memory: it stays parked for the safety net. */
        }
    }
    return !las_list_empty(&s->table.improved);
}

static void count_decision(struct las_scheduler *s, uint64_t took_ns)
{
    uint64_t us = took_ns / LAS_NS_PER_US;
    uint32_t bucket = 0;
    while (bucket < LAS_DURATION_BUCKETS - 1 && us > UINT64_C(1) << bucket)
        bucket++;
    s->counters.decisions[bucket]++;
    s->counters.decision_ns_sum += took_ns;
    s->counters.decision_count++;
}

/* Annotations that do nothing are most often typos: say so once a pod. */
static void warn_about_annotations(struct las_scheduler *s, struct las_queued_pod *queued)
{
    const struct las_latency_request *latency = queued->pod->latency;
    if (!latency || queued->warned)
        return;
    queued->warned = true;
    struct las_pod_event event = {.pod = queued->pod, .warning = true, .action = "Scheduling"};
    if (latency->unknown.len > 0) {
        event.reason = "UnknownAnnotation";
        event.note = latency->unknown;
        las_event_writer_add(&s->events, &event);
    }
    if (latency->ignored.len > 0) {
        event.reason = "AnnotationIgnored";
        event.note = latency->ignored;
        las_event_writer_add(&s->events, &event);
    }
}

/* Tell the user, if it is news: as condition and event of the pod. */
static void say_refusal(struct las_scheduler *s, struct las_queued_pod *queued,
                        const struct las_verdict *verdict, const struct las_view *view,
                        uint64_t now_ns)
{
    bool invalid = verdict->kind == LAS_VERDICT_INVALID;
    uint64_t reasons = las_explain_reason_set(queued->pod, verdict) | 1; /* 0 means none */
    bool changed = reasons != queued->reason_set;
    bool again = now_ns - queued->said_ns >= LAS_SAY_AGAIN_NS;
    if (!changed && !again)
        return;
    struct las_buf text;
    las_buf_init(&text, LAS_EXPLAIN_BYTES_MAX);
    las_explain_refusal(view, queued->pod, verdict, &text);
    las_log_v(s->ports.log, 1, "pod %.*s/%.*s is not bound: %.*s",
              LAS_SLICE_ARG(queued->pod->object.meta.namespace),
              LAS_SLICE_ARG(queued->pod->object.meta.name), LAS_SLICE_ARG(las_buf_slice(&text)));
    las_condition_writer_put(&s->conditions, queued->pod,
                             invalid ? "SchedulerError" : "Unschedulable", las_buf_slice(&text));
    bool first = queued->event_sequence == 0;
    if (first || again || now_ns - queued->said_ns >= LAS_SAY_CHANGED_NS) {
        struct las_pod_event event = {.pod = queued->pod,
                                      .warning = true,
                                      .reason =
                                          invalid ? "InvalidLatencyAnnotation" : "FailedScheduling",
                                      .action = "Scheduling",
                                      .note = las_buf_slice(&text)};
        if (!changed && !first) {
            event.sequence = queued->event_sequence;
            event.series_count = ++queued->event_count;
        } else {
            queued->event_count = 1;
        }
        queued->event_sequence = las_event_writer_add(&s->events, &event);
        queued->said_ns = now_ns;
    }
    queued->reason_set = reasons;
    las_buf_fini(&text);
}

static void put_off(struct las_scheduler *s, struct las_queued_pod *queued, enum las_status st,
                    uint64_t now_ns)
{
    s->counters.attempts_error++;
    las_log_error(s->ports.log, "pod %.*s/%.*s: %s",
                  LAS_SLICE_ARG(queued->pod->object.meta.namespace),
                  LAS_SLICE_ARG(queued->pod->object.meta.name), las_status_text(st));
    LAS_IGNORE(las_queue_put_off(&s->queue, queued, 0, now_ns, &s->prng));
}

static void decide_one(struct las_scheduler *s, struct las_queued_pod *queued, uint64_t now_ns)
{
    const struct las_view view = las_scheduler_view(s, now_ns);
    const struct las_cycle_options options = {.skip_untargeted = s->config.skip_untargeted};
    struct las_verdict verdict;
    uint64_t begin_ns = las_clock_now_ns(s->ports.clock);
    enum las_status st =
        las_cycle_decide(&view, queued->pod, &options, &s->prng, &s->classes, &verdict);
    count_decision(s, las_clock_now_ns(s->ports.clock) - begin_ns);
    warn_about_annotations(s, queued);
    if (st != LAS_OK) {
        put_off(s, queued, st, now_ns);
        return;
    }
    if (verdict.kind != LAS_VERDICT_NODE) {
        s->counters.attempts_unschedulable += verdict.kind != LAS_VERDICT_INVALID;
        s->counters.attempts_error += verdict.kind == LAS_VERDICT_INVALID;
        say_refusal(s, queued, &verdict, &view, now_ns);
        bool ages = verdict.kind == LAS_VERDICT_NO_NODE &&
                    verdict.diagnosis.by_filter[LAS_FILTER_LATENCY] > 0;
        LAS_IGNORE(las_queue_park(&s->queue, queued,
                                  ages ? LAS_QUEUE_REFRESH_NS : LAS_QUEUE_FLUSH_NS, now_ns));
        return;
    }
    /* Reserve before the request: the next decision must see it. */
    st = las_ledger_assume(&s->ledger, queued->pod, verdict.node);
    if (st == LAS_OK) {
        st = las_bind_writer_send(&s->binds, queued->pod, &verdict, now_ns);
        if (st != LAS_OK)
            las_ledger_release(&s->ledger, queued->pod->object.meta.uid);
    }
    if (st != LAS_OK)
        put_off(s, queued, st, now_ns);
}

/* True if more pods could be decided at once. */
static bool decide(struct las_scheduler *s, uint64_t now_ns)
{
    if (s->stopping || !las_pump_synced(&s->pumps[LAS_KIND_POD]) ||
        !las_pump_synced(&s->pumps[LAS_KIND_NODE]) ||
        !(las_pump_synced(&s->pumps[LAS_KIND_NODE_LATENCY]) ||
          s->pumps[LAS_KIND_NODE_LATENCY].missing))
        return false;
    for (uint32_t i = 0; i < LAS_DECISIONS_PER_TURN; i++) {
        if (!las_bind_writer_has_room(&s->binds))
            return false; /* An answer makes room, and a turn. */
        struct las_queued_pod *queued = las_queue_pop(&s->queue);
        if (!queued)
            return false;
        decide_one(s, queued, now_ns);
    }
    return s->queue.counts[LAS_QUEUE_ACTIVE] > 0;
}

uint64_t las_scheduler_turn(struct las_scheduler *s, uint64_t now_ns)
{
    uint64_t next_ns = UINT64_MAX;
    for (int kind = 0; kind < LAS_KIND_COUNT; kind++)
        next_ns = earlier(next_ns, las_pump_turn(&s->pumps[kind], now_ns));
    note_latency_known(s);
    bool more = wake(s, now_ns);
    if (las_queue_advance(&s->queue, now_ns) != LAS_OK)
        next_ns = earlier(next_ns, now_ns + LAS_NS_PER_SEC);
    more = decide(s, now_ns) || more;
    next_ns = earlier(next_ns, las_queue_next_due_ns(&s->queue));
    next_ns = earlier(next_ns, las_bind_writer_turn(&s->binds, now_ns));
    next_ns = earlier(next_ns, las_condition_writer_turn(&s->conditions, now_ns));
    next_ns = earlier(next_ns, las_status_writer_turn(&s->statuses, now_ns));
    next_ns = earlier(next_ns, las_event_writer_turn(&s->events, now_ns));
    return more ? now_ns : next_ns;
}
