#!/usr/bin/env bash
# transports: http websocket
# A restart keeps the reservations, for they come from the bound pods; SIGTERM ends the scheduler with 0 within 2 s.
. "$(dirname "$0")/lib.sh"

node a && node_latency a "$(rtt 20 4 10000)"
node b && node_latency b "$(rtt 90 4)"
scheduler_start
for i in 1 2 3; do pod "kept-$i" "$(annotated latency-target-us 50 /bandwidth-mbps 100)"; done
for i in 1 2 3; do expect_on "kept-$i" "$X-a"; done
expect_status a '.summary.reservedPods == "3/4" and .reserved.bandwidthMbps == 300'
expect_agreement a
scheduler_stop
note "measured: SIGTERM to the end: $stop_ms ms"
[ "$stop_ms" -le 2000 ] || fail "the scheduler took $stop_ms ms to end after SIGTERM; at most 2000 ms are allowed"

# While nobody looks: one pod goes, one that asks for the rest comes, and one too many.
delete_pod kept-2
pod new-1 "$(target 50)"
pod new-2 "$(target 50)"
pod new-3 "$(target 50)"
scheduler_start
bound() { kn get pods -o json | jq '[.items[] | select(.spec.nodeName)] | length'; }
four() { bound | grep -qx 4; }
wait_for "$patience" "4 bound pods on a node that may carry 4" four
expect_status a '.summary.reservedPods == "4/4" and .reserved.bandwidthMbps == 200'
expect_agreement a
waiting=$(kn get pods -o json | jq -r '[.items[] | select(.spec.nodeName | not)][0].metadata.name')
expect_waiting "$waiting" "latency capacity full (4/4)"

# A status that somebody spoiled is put right at the next start.
scheduler_stop
k patch nodelatency "$X-a" --subresource=status --type merge -p '{"status":{"reserved":{"latencyPods":1},"summary":{"reservedPods":"1/4"},"podSetHash":"0000000000000000"}}' >/dev/null
scheduler_start
expect_status a '.summary.reservedPods == "4/4"'
expect_agreement a

# SIGINT is as good as SIGTERM, also with a backlog at hand.
for i in $(seq 50); do pod_json "more-$i"; done | kn create -f - >/dev/null
kill -INT "$scheduler_pid"
begin=$(now_ms)
while scheduler_lives; do
    [ $(($(now_ms) - begin)) -lt 2000 ] || fail "the scheduler did not end within 2 s of SIGINT"
    sleep 0.02
done
status=0
wait "$scheduler_pid" || status=$?
scheduler_pid=''
assert_equal "exit status after SIGINT" 0 "$status"
scheduler_start
all_bound() { bound | grep -qx 54; }
wait_for "$patience" "all 50 pods bound by the next scheduler" all_bound
scheduler_stop
