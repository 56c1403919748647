#!/usr/bin/env bash
# transports: http
# The node label nodeLatencyUs stands in for a node that has no NodeLatency, if it is a number; the object wins over it.
. "$(dirname "$0")/lib.sh"

node labelled '{"metadata":{"labels":{"nodeLatencyUs":"40"}}}'
node nonsense '{"metadata":{"labels":{"nodeLatencyUs":"fast"}}}'
scheduler_start
pod fifty "$(target 50)"
expect_on fifty "$X-labelled"
pod thirty "$(target 30)"
expect_waiting thirty "0/2 nodes are available: " "1 latency above target (best 40us on $X-labelled, want <=30us"
k label node "$X-labelled" nodeLatencyUs=25 --overwrite >/dev/null
expect_on thirty "$X-labelled"
node_latency labelled "$(rtt 90)"
pod again "$(target 50)"
expect_waiting again "best 90us on $X-labelled"
scheduler_stop

scheduler_start --node-latency-label=lab/rtt
k delete nodelatency "$X-labelled" >/dev/null
expect_waiting again "0/2 nodes are available: 2 no NodeLatency"
k label node "$X-nonsense" lab/rtt=12 >/dev/null
expect_on again "$X-nonsense"
scheduler_stop
