#!/usr/bin/env bash
# transports: http websocket
# The API server is not there when the scheduler starts: it waits, saying so, alive but not ready, and then does its work.
. "$(dirname "$0")/lib.sh"

node a && node_latency a "$(rtt 20)"
pod early "$(target 50)"
controlplane_stop "$E2E_DIR" apiserver KILL
scheduler_launch
alive() { http_get "$scheduler_port" /livez; }
wait_for 10 "/livez while there is no API server" alive
! scheduler_ready >/dev/null || fail "/readyz is green while there is no API server"
says_so() { grep -qiE 'refused|unreachable|cannot connect|connect' "$E2E_LOG"; }
wait_for 10 "the log to say that the API server cannot be reached" says_so
begin=$(now_ms)
controlplane_start_apiserver "$E2E_DIR" "$E2E_ASSETS"
controlplane_wait_ready "$E2E_DIR" "$KUBECTL" || fail "the API server did not come up"
up=$(now_ms)
wait_for 40 "/readyz once the API server is there" scheduler_ready
note "measured: API server ready after $((up - begin)) ms, the scheduler $(($(now_ms) - up)) ms later"
expect_on early "$X-a"
expect_agreement a
scheduler_stop
