#!/usr/bin/env bash
# transports: http websocket
# timeout: 240
# The API server is restarted under the scheduler, by SIGKILL and by SIGTERM: nothing is lost, no descriptor and no memory leaks.
. "$(dirname "$0")/lib.sh"

node a && node_latency a "$(rtt 20 5)"
scheduler_start
patience=60
pod before "$(target 50)"
expect_on before "$X-a"
expect_agreement a
# Once round, so that everything that is made at the first reconnect is there.
restart_apiserver() { # SIGNAL
    controlplane_stop "$E2E_DIR" apiserver "$1" 2
    controlplane_start_apiserver "$E2E_DIR" "$E2E_ASSETS"
    controlplane_wait_ready "$E2E_DIR" "$KUBECTL" || fail "the API server did not come up again"
}
restart_apiserver KILL
pod first "$(target 50)"
expect_on first "$X-a"
expect_agreement a
fds=$(scheduler_fds) rss=$(scheduler_rss_kib)

for round in 1 2 3; do
    if [ "$round" = 2 ]; then restart_apiserver TERM; else restart_apiserver KILL; fi
    pod "round-$round" "$(target 50)"
    expect_on "round-$round" "$X-a"
done
expect_agreement a
pod too-many "$(target 50)"
expect_waiting too-many "latency capacity full (5/5)"
k delete nodelatency "$X-a" >/dev/null
node_latency a "$(rtt 20 6)"
expect_on too-many "$X-a"
expect_agreement a
# Old connections may linger a moment.
few_fds() { local open; open=$(scheduler_fds); echo "$open open, $fds before"; [ "$open" -le $((fds + 1)) ]; }
wait_for 60 "as few descriptors as after the first restart" few_fds
note "measured: after 3 more restarts $(scheduler_fds) descriptors (before $fds), $(scheduler_rss_kib) KiB resident (before $rss)"
[ "$(scheduler_rss_kib)" -le $((rss + 2048)) ] || fail "memory grew from $rss to $(scheduler_rss_kib) KiB"
assert_equal "Scheduled events of the pod bound before all that" 1 "$(pod_events before Scheduled | wc -l)"
scheduler_stop
