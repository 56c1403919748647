#!/usr/bin/env bash
# transports: http websocket
# Pods with no target: scheduled by the ordinary rules, or left alone with a reason. Pods of other schedulers are not touched.
. "$(dirname "$0")/lib.sh"

node a
node b && node_latency b "$(rtt 20)"
scheduler_start
pod plain
expect_on plain "$X-a" "$X-b"
expect_event plain Scheduled "Normal Successfully assigned $NS/plain to $(pod_node plain)"
pod foreign '{"spec":{"schedulerName":"default-scheduler"}}'
scheduler_stop

scheduler_start --untargeted-pods=skip
pod skipped
pod targeted "$(target 50)"
expect_on targeted "$X-b"
expect_waiting skipped latency-target-us
assert_equal "node of the other scheduler's pod" '' "$(pod_node foreign)"
assert_equal "reason at the other scheduler's pod" '' "$(pod_reason foreign)"
# Given a target, it is taken.
kn annotate pod skipped latency-target-us=50 >/dev/null
expect_on skipped "$X-b"
scheduler_stop
