#!/usr/bin/env bash
# transports: http websocket
# The NodeLatency CRD is not there when the scheduler starts, comes, goes and comes again.
. "$(dirname "$0")/lib.sh"

crd=nodelatencies.nodelatency.dev
apply_crd() {
    k apply -f "$root/crd/nodelatency.yaml" >/dev/null
    k wait --for=condition=Established "crd/$crd" --timeout=20s >/dev/null
    wait_for 20 "nodelatencies to be served" k get nodelatencies -o name
}
k delete crd "$crd" >/dev/null
node a
scheduler_launch
lives_on() { grep -qiE 'nodelatencies.*(404|not found|not installed|CRD)|CRD.*nodelatenc' "$E2E_LOG"; }
wait_for 10 "the log to say that the CRD is not installed" lives_on
assert_equal "times that the log says so" 1 "$(grep -ciE 'nodelatencies.*(404|not found|not installed|CRD)|CRD.*nodelatenc' "$E2E_LOG")"
pod early "$(target 50)"
apply_crd
node_latency a "$(rtt 20)"
wait_for 40 "/readyz once the CRD is there" scheduler_ready
patience=40
expect_on early "$X-a"
expect_agreement a

# Gone: the reservations stay with the pods, nothing admits a pod.
k delete crd "$crd" >/dev/null
pod homeless "$(target 50)"
expect_waiting homeless "no NodeLatency"
pod plain
expect_on plain "$X-a"
apply_crd
node_latency a "$(rtt 20 2)"
expect_on homeless "$X-a"
pod third "$(target 50)"
expect_waiting third "latency capacity full (2/2)"
expect_agreement a
scheduler_stop
