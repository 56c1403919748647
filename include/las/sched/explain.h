/* Verdicts as the texts users read: condition, event, log. No logic of its own.
 * Source: kube-scheduler's FitError for the sentence and the reasons of its filters, word for word;
 * the product contract for those of latency. */
#ifndef LAS_SCHED_EXPLAIN_H
#define LAS_SCHED_EXPLAIN_H

#include "las/sched/cycle.h"

/* Longest text: a condition's message is not cut by the server, but no reason list needs more. */
#define LAS_EXPLAIN_BYTES_MAX 16384

/* Why the pod is not bound: "0/5 nodes are available: 2 Insufficient cpu, ...". verdict->kind is
 * not NODE. Appended to out. */
void las_explain_refusal(const struct las_view *view, const struct las_pod *pod,
                         const struct las_verdict *verdict, struct las_buf *out);

/* "Successfully assigned NS/POD to NODE", and for a pod under a target ": ny4 p99 38us <= 50us, age
 * 12s, pods 4/8". The counts are those after the pod was assumed. */
void las_explain_assignment(const struct las_view *view, const struct las_pod *pod,
                            const struct las_verdict *verdict, struct las_buf *out);

/* An age for people: "59s", "7m", "3h", "2d". */
void las_explain_age(uint64_t age_ns, struct las_buf *out);

/* A number that is equal exactly for refusals for the same reasons, whatever their counts: decides
 * whether it is news. */
uint64_t las_explain_reason_set(const struct las_pod *pod, const struct las_verdict *verdict);

#endif
