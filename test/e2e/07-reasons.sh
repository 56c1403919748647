#!/usr/bin/env bash
# transports: http websocket
# Why no node does: above target, stale, expired, not reachable, no NodeLatency, percentile; and what each waiting pod is waked by.
. "$(dirname "$0")/lib.sh"

ago() { date -u -d "-$1 seconds" +%Y-%m-%dT%H:%M:%SZ; }
measured() { jq -nc --arg time "$(ago "$1")" --argjson target "$2" '{source: "Measured", measuredTime: $time, targets: [$target]}'; }
good='{"name":"ny4","rtt":{"p99Microseconds":9}}'

node above-1 && node_latency above-1 "$(rtt 61)"
node above-2 && node_latency above-2 "$(rtt 75)"
node none
node silent && node_latency silent "$(measured 0 '{"name":"ny4","lossPerMillion":1000000}')"
node stale && node_latency stale "$(measured 200 "$good")"
node expired && node_latency expired "$(measured 900 "$good")"
scheduler_start

pod fifty "$(target 50)"
expect_waiting fifty "Unschedulable: 0/6 nodes are available: 2 latency above target (best 61us on $X-above-1, want <=50us ny4 p99), " \
    "1 no NodeLatency" "1 measurement stale (3m>60s)" "1 measurement expired (15m>300s)" "unreachable"
expect_event fifty FailedScheduling Warning "0/6 nodes are available: 2 latency above target (best 61us on $X-above-1, want <=50us ny4 p99), "
expect_status above-1 '.summary.state == "Healthy" and any(.conditions[]; .type == "Ready" and .status == "True" and .reason == "TargetHealthy")'
expect_status stale '.summary.state == "Stale" and any(.conditions[]; .type == "Ready" and .status == "False" and .reason == "MeasurementStale")'
expect_status silent '.summary.state == "Unreachable" and any(.conditions[]; .type == "Ready" and .status == "False" and .reason == "TargetUnreachable")'

# The next percentile stands in for one that is missing; none above: no.
pod median "$(annotated latency-target-us 61 /percentile p50)"
expect_on median "$X-above-1"
pod longest "$(annotated latency-target-us 61 /percentile max)"
expect_waiting longest "0/6 nodes are available: "

# A new window of the stale node wakes the pod; then it ages again.
node_latency stale "$(measured 0 "$good" | jq -c '.staleAfterSeconds = 5')"
expect_on fifty "$X-stale"
expect_status stale '.summary.state == "Healthy"'
expect_status stale '.summary.state == "Stale"'
pod aged "$(target 50)"
expect_waiting aged "1 measurement stale ("
# A first object wakes it.
node_latency none "$(rtt 30)"
expect_on aged "$X-none"
# A pod may want fresher numbers than the object says are fresh. (Another target, so that the nodes above do not matter.)
node older && node_latency older "$(measured 30 '{"name":"fra2","rtt":{"p99Microseconds":9}}' | jq -c '.staleAfterSeconds = 3600')"
pod patient "$(annotated latency-target-us 50 /target-dc fra2)"
expect_on patient "$X-older"
pod fresh "$(annotated latency-target-us 50 /target-dc fra2 /max-age-seconds 10)"
expect_waiting fresh "1 measurement stale (" "s>10s)"
scheduler_stop
