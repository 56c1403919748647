#!/usr/bin/env bash
# transports: http websocket
# The use case: a pod with GPU, SSD and a target of 10 us lands on the only node that fits, waits with a reason while that
# node is full, and is bound within a second when it is freed.
. "$(dirname "$0")/lib.sh"

ssd='"metadata":{"labels":{"disktype":"ssd"}}'
gpu='"status":{"allocatable":{"nvidia.com/gpu":"1"}}'
node right "{$ssd,$gpu}" && node_latency right "$(rtt 8)"
node no-gpu "{$ssd}" && node_latency no-gpu "$(rtt 5)"
node no-ssd "{$gpu}" && node_latency no-ssd "$(rtt 5)"
node slow "{$ssd,$gpu}" && node_latency slow "$(rtt 61)"
node cordoned "{$ssd,$gpu,\"spec\":{\"unschedulable\":true}}" && node_latency cordoned "$(rtt 5)"
scheduler_start

trader=$(merged "$(target 10)" '{"spec":{"nodeSelector":{"disktype":"ssd"},"containers":[{"name":"main","image":"main",
    "resources":{"limits":{"cpu":"2","memory":"2Gi","nvidia.com/gpu":"1"}}}]}}')
pod first "$trader"
expect_on first "$X-right"
pod second "$trader"
expect_waiting second "Unschedulable: 0/5 nodes are available: " "1 node(s) were unschedulable" "2 Insufficient nvidia.com/gpu" \
    "1 node(s) didn't match Pod's node affinity/selector" "1 latency above target (best 61us on $X-slow, want <=10us ny4 p99)"
expect_event second FailedScheduling Warning "0/5 nodes are available: " "2 Insufficient nvidia.com/gpu"

log=$E2E_DIR/$NS.watch
watch_pods "$log"
wait_for 5 "the watch to run" test -e "$log"
delete_pod first
expect_on second "$X-right"
watch_line() { awk -v type="$1" -v name="$2" -v node="$3" '$2 == type && $3 == name && (node == "" || $5 == node) { print $1; exit }' "$log"; }
has_both() { [ -n "$(watch_line DELETED first '')" ] && [ -n "$(watch_line MODIFIED second "$X-right")" ]; }
wait_for 5 "both events in the watch" has_both
took=$(($(watch_line MODIFIED second "$X-right") - $(watch_line DELETED first '')))
note "measured: from deletion of the one to binding of the other: $took ms"
[ "$took" -le 1000 ] || fail "the waiting pod was bound $took ms after the node was freed; at most 1000 ms are allowed"
scheduler_stop
