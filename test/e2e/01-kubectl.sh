#!/usr/bin/env bash
# transports: http
# scheduler: no
# What kubectl shows of NodeLatency: columns, short name, category, explain, field selectors.
. "$(dirname "$0")/lib.sh"

node_latency quick "$(rtt 38 8)"
header=$(first_line k get nodelatency -o wide | tr -s ' ')
assert_equal "header of 'kubectl get nodelatency -o wide'" \
    "NAME TARGET P99-US JITTER-US STATE RESERVED READY UPDATED AGE NIC NUMA LOSS-PPM SOURCE" "${header% }"
header=$(first_line k get nlat | tr -s ' ')
assert_equal "header of 'kubectl get nlat'" "NAME TARGET P99-US JITTER-US STATE RESERVED READY UPDATED AGE" "${header% }"
assert_contains "kubectl get latency" "$(k get latency -o name)" "nodelatency.nodelatency.dev/$X-quick"
# Lines are broken to the width of the terminal.
assert_contains "kubectl explain nodelatency.spec.targets" "$(k explain nodelatency.spec.targets | tr -s ' \n' ' ')" \
    "KIND: NodeLatency" "VERSION: v1alpha1" "The first entry is the primary target" "lossPerMillion" "-required-"
assert_contains "field selector on spec.source" "$(k get nodelatency --field-selector spec.source=Static -o name)" "$X-quick"
assert_equal "objects of source Measured named $X-quick" '' \
    "$(k get nodelatency --field-selector "spec.source=Measured,metadata.name=$X-quick" -o name)"
assert_contains "custom columns over all targets" \
    "$(k get nlat "$X-quick" -o custom-columns='NODE:.metadata.name,P99:.spec.targets[*].rtt.p99Microseconds')" 38
