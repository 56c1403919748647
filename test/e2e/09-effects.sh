#!/usr/bin/env bash
# transports: http websocket
# What a bound pod carries: the decision, the condition, the event; and which node is best.
. "$(dirname "$0")/lib.sh"

node far && node_latency far "$(rtt 45 8)"
node near && node_latency near '{"source":"Measured","measuredTime":"'"$(date -u +%Y-%m-%dT%H:%M:%SZ)"'","staleAfterSeconds":600,
    "capacity":{"latencyPods":8},"targets":[{"name":"fra2","rtt":{"p99Microseconds":2000}},{"name":"ny4","rtt":{"p50Microseconds":30,"p99Microseconds":38}}]}'
scheduler_start
pod quoter "$(annotated latency-target-us 50 /target-dc ny4)"
expect_on quoter "$X-near"
decision=$(kn get pod quoter -o jsonpath='{.metadata.annotations.nodelatency\.dev/decision}')
jq -e --argjson generation "$(k get nodelatency "$X-near" -o jsonpath='{.metadata.generation}')" \
    '.dc == "ny4" and .pct == "p99" and .us == 38 and .gen == $generation and .age >= 0 and .age < 60 and .fallback == false' <<<"$decision" >/dev/null ||
    fail "annotation nodelatency.dev/decision is '$decision'"
assert_equal "condition PodScheduled" True "$(kn get pod quoter -o jsonpath='{.status.conditions[?(@.type=="PodScheduled")].status}')"
expect_event quoter Scheduled "Normal Successfully assigned $NS/quoter to $X-near: ny4 p99 38us <= 50us, age " "s, pods 1/8"
assert_equal "Scheduled events" 1 "$(pod_events quoter Scheduled | wc -l)"
expect_status near '.summary.target == "fra2" and .summary.reservedPods == "1/8" and .observedGeneration > 0
    and any(.targets[]; .name == "ny4" and .tightestTargetMicroseconds == 50)'
# The fields of the spec are nobody's but ours.
managers=$(k get nodelatency "$X-near" --show-managed-fields -o json | jq -r '.metadata.managedFields[] | select(.subresource == "status") | .manager')
assert_equal "field manager of the status" latency-aware-scheduler "$managers"

# No target given: the primary one. The best node is the one with the largest margin.
pod primary "$(target 50)"
expect_on primary "$X-far"
expect_event primary Scheduled "Normal Successfully assigned $NS/primary to $X-far: ny4 p99 45us <= 50us" "pods 1/8"
for path in /livez /readyz; do assert_contains "$path" "$(http_get "$scheduler_port" "$path")" ok; done
http_get "$scheduler_port" /metrics >"$E2E_DIR/$NS.metrics" || fail "/metrics did not answer with 200"
if grep -vE '^(#( HELP| TYPE) .*|[a-zA-Z_:][a-zA-Z0-9_:]*(\{.*\})? [-+0-9.eEIinfNa]+)$' "$E2E_DIR/$NS.metrics"; then
    fail "/metrics has lines that are not of the Prometheus text format"
fi
grep -q '^scheduler_\|^latency_' "$E2E_DIR/$NS.metrics" || fail "/metrics has no metric of ours"
scheduler_stop
