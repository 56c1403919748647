#!/usr/bin/env bash
# transports: http websocket
# capacity.latencyPods and capacity.bandwidthMbps are never exceeded; status says what is reserved, and by which set of pods.
. "$(dirname "$0")/lib.sh"

node pods && node_latency pods "$(rtt 20 3)"
node mbps && node_latency mbps "$(rtt 20 null 1000 | jq -c '.targets[0].name = "fra2"')"
scheduler_start

bound_of() { kn get pods -l "set=$1" -o json | jq -r '[.items[] | select(.spec.nodeName)] | length'; }
all_judged() { # SET COUNT: every pod of it is bound or has a reason
    local judged
    judged=$(kn get pods -l "set=$1" -o json |
        jq '[.items[] | select(.spec.nodeName or any(.status.conditions[]?; .type == "PodScheduled" and .status == "False"))] | length')
    echo "$judged of $2 judged"
    [ "$judged" = "$2" ]
}

for i in 1 2 3 4 5 6 7 8; do pod_json "p$i" "$(merged "$(annotated latency-target-us 50 /target-dc ny4)" '{"metadata":{"labels":{"set":"p"}}}')"; done | kn create -f - >/dev/null
wait_for "$patience" "8 pods judged" all_judged p 8
assert_equal "pods on a node that may carry 3" 3 "$(bound_of p)"
waiting=$(kn get pods -l set=p -o json | jq -r '[.items[] | select(.spec.nodeName | not)][0].metadata.name')
expect_waiting "$waiting" "0/2 nodes are available: " "1 latency capacity full (3/3)"
expect_status pods '.reserved.latencyPods == 3 and .available.latencyPods == 0 and .summary.reservedPods == "3/3"
    and any(.conditions[]; .type == "CapacityAvailable" and .status == "False" and .reason == "PodsExhausted")'
expect_agreement pods

for i in 1 2 3 4; do
    pod_json "m$i" "$(merged "$(annotated latency-target-us 50 /target-dc fra2 /bandwidth-mbps 400)" '{"metadata":{"labels":{"set":"m"}}}')"
done | kn create -f - >/dev/null
wait_for "$patience" "4 pods judged" all_judged m 4
assert_equal "pods of 400 Mbit/s on a node of 1000" 2 "$(bound_of m)"
waiting=$(kn get pods -l set=m -o json | jq -r '[.items[] | select(.spec.nodeName | not)][0].metadata.name')
expect_waiting "$waiting" "0/2 nodes are available: " "1 latency bandwidth full (800/1000 Mbps, want 400)"
expect_status mbps '.reserved.bandwidthMbps == 800 and .available.bandwidthMbps == 200 and .summary.reservedPods == "2/-"
    and (.available | has("latencyPods") | not)'
expect_agreement mbps
# One that still fits in.
pod small "$(annotated latency-target-us 50 /target-dc fra2 /bandwidth-mbps 200)"
expect_on small "$X-mbps"
expect_agreement mbps

# More room: the waiting pods take it, and no more than it.
node_latency pods "$(rtt 20 5)"
five_bound() { bound_of p | grep -qx 5; }
wait_for "$patience" "5 pods bound after capacity was raised to 5" five_bound
expect_agreement pods
# Less room than what is bound: nobody is thrown out, nobody comes in, and it is said.
node_latency pods "$(rtt 20 1)"
expect_status pods '.reserved.latencyPods == 5 and .available.latencyPods == 0
    and any(.conditions[]; .type == "CapacityAvailable" and .status == "False" and .reason == "Overcommitted")'
pod late "$(annotated latency-target-us 50 /target-dc ny4)"
expect_waiting late "latency capacity full (5/1)"
assert_equal "bound pods after capacity was lowered" 5 "$(bound_of p)"

# All gone: nothing is reserved.
kn delete pods --all --grace-period=0 --force --wait=false >/dev/null 2>&1
expect_status pods '.reserved.latencyPods == 0 and .summary.reservedPods == "0/1"'
expect_status mbps '.reserved.bandwidthMbps == 0'
expect_agreement pods mbps
scheduler_stop
