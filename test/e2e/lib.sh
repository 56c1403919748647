# shellcheck shell=bash
# shellcheck disable=SC2153,SC2120 # KUBECTL comes from run.sh; flags of the scheduler are for some scenarios only
# lib.sh, to be sourced by the scenarios: making objects, starting the scheduler, and asking what came of it.
# run.sh sets E2E_DIR (folder of the control plane), E2E_ASSETS, KUBECTL, E2E_SCHEDULER, E2E_TRANSPORT, E2E_ID (short and
# unique in the run) and E2E_LOG (of the scheduler). Everything that waits has a limit; nothing waits longer than it has to.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck source=../controlplane/lib.sh
. "$root/test/controlplane/lib.sh"

NS=e2e-$E2E_ID    # namespace of the scenario
X=$E2E_ID         # names of its nodes begin with this
scheduler_name=latency-aware-scheduler
scheduler_pid=''
patience=20       # seconds that anything is waited for

said=''           # whether the reason of a failure has been said
fail() { said=yes; printf 'FAILED: %s\n' "$*" >&2; exit 1; }
note() { printf '%s\n' "$*"; }

k() { "$KUBECTL" --kubeconfig "$E2E_DIR/admin.kubeconfig" --request-timeout 30s "$@"; }
kn() { k -n "$NS" "$@"; }

assert_equal() { # WHAT EXPECTED GOT
    [ "$2" = "$3" ] || fail "$1: expected '$2', got '$3'"
}
assert_contains() { # WHAT TEXT PART...
    local what=$1 text=$2 part
    shift 2
    for part in "$@"; do
        [[ $text == *"$part"* ]] || fail "$what: expected to contain '$part', got '$text'"
    done
}

# first_line COMMAND...: of its output, which is read to the end: what writes into a pipe that "head" has left dies of it.
first_line() {
    local all
    all=$("$@")
    printf '%s\n' "${all%%$'\n'*}"
}

# wait_for SECONDS WHAT COMMAND...: until the command succeeds; its last output is shown if it never does.
wait_for() {
    local seconds=$1 what=$2 end out=''
    end=$((SECONDS + seconds))
    shift 2
    until out=$("$@" 2>&1); do
        [ "$SECONDS" -lt "$end" ] || fail "waited $seconds s for: $what; last seen: ${out:-nothing}"
        [ -z "$scheduler_pid" ] || scheduler_lives || fail "the scheduler ended while waiting for: $what"
        sleep 0.1
    done
}

now_ms() { echo $((${EPOCHREALTIME/./} / 1000)); }

## Objects

# node NAME [JSON]: a Ready node $X-NAME of 8 processors, 16 GiB and 110 pods; JSON is merged into it.
node() {
    local extra='{}'
    [ $# -lt 2 ] || extra=$2
    jq -n --arg name "$X-$1" --argjson extra "$extra" '{apiVersion: "v1", kind: "Node",
        metadata: {name: $name, labels: {"kubernetes.io/hostname": $name}},
        status: {allocatable: {cpu: "8", memory: "16Gi", "ephemeral-storage": "100Gi", pods: "110"},
                 conditions: [{type: "Ready", status: "True", reason: "KubeletReady"}]}} * $extra
        | .status.capacity = .status.allocatable' | k create -f - >/dev/null
}

# node_latency NAME SPEC: create or change the NodeLatency of node $X-NAME; SPEC is JSON.
node_latency() {
    jq -n --arg name "$X-$1" --argjson spec "$2" \
        '{apiVersion: "nodelatency.dev/v1alpha1", kind: "NodeLatency", metadata: {name: $name}, spec: $spec}' |
        k apply -f - >/dev/null
}

# rtt MICROSECONDS [PODS [MBPS]]: the spec of a Static NodeLatency with that p99 to ny4 and that capacity.
rtt() {
    jq -nc --argjson p99 "$1" --argjson pods "${2:-null}" --argjson mbps "${3:-null}" '
        {targets: [{name: "ny4", rtt: {p99Microseconds: $p99}}]}
        + if $pods == null and $mbps == null then {} else
            {capacity: ({latencyPods: $pods, bandwidthMbps: $mbps} | with_entries(select(.value != null)))} end'
}

# pod_json NAME [JSON]: a pod of ours with 100m of processor; JSON is merged into it.
pod_json() {
    local extra='{}'
    [ $# -lt 2 ] || extra=$2
    jq -nc --arg name "$1" --arg scheduler "$scheduler_name" --argjson extra "$extra" '{apiVersion: "v1", kind: "Pod",
        metadata: {name: $name}, spec: {schedulerName: $scheduler, terminationGracePeriodSeconds: 0,
        containers: [{name: "main", image: "main", resources: {requests: {cpu: "100m", memory: "64Mi"}}}]}} * $extra'
}
pod() { pod_json "$@" | kn create -f - >/dev/null; }

# annotated KEY VALUE...: JSON of a pod's annotations; prefixes a key that has a leading / with nodelatency.dev.
annotated() {
    jq -nc '[$ARGS.positional | _nwise(2) | {key: (.[0] | if startswith("/") then "nodelatency.dev" + . else . end), value: .[1]}]
        | {metadata: {annotations: from_entries}}' --args "$@"
}
target() { annotated latency-target-us "$1"; }
# merged JSON...: one object of all.
merged() { printf '%s\n' "$@" | jq -sc 'reduce .[] as $part ({}; . * $part)'; }

# delete_pods [LABEL=VALUE]: all of the scenario's, or those with that label; kubectl would ask for each, a few a second.
delete_pods() {
    k delete --raw "/api/v1/namespaces/$NS/pods?gracePeriodSeconds=0&labelSelector=${1:+${1/=/%3D}}" >/dev/null
}
delete_pod() { kn delete pod "$@" --grace-period=0 --force --wait=false >/dev/null 2>&1; }

## What came of a pod

pod_node() { kn get pod "$1" -o jsonpath='{.spec.nodeName}'; }
# "REASON: MESSAGE" of the condition PodScheduled=False, nothing without it.
pod_reason() {
    kn get pod "$1" -o json | jq -r '.status.conditions[]? | select(.type == "PodScheduled" and .status == "False") | .reason + ": " + .message'
}
# "TYPE NOTE" of each event of a pod with this reason.
pod_events() { # POD REASON
    kn get events.events.k8s.io -o json |
        jq -r --arg pod "$1" --arg reason "$2" '.items[] | select(.regarding.name == $pod and .reason == $reason) | .type + " " + .note'
}

is_on() { # POD NODE...: bound to one of them
    local pod=$1 on
    shift
    on=$(pod_node "$pod")
    echo "on '$on', $(pod_reason "$pod")"
    [[ -n $on && " $* " == *" $on "* ]]
}
is_bound() { pod_reason "$1"; [ -n "$(pod_node "$1")" ]; }
says() { # POD PART...: waits, for a reason that contains each part
    local pod=$1 text part
    shift
    text=$(pod_reason "$pod")
    echo "${text:-no reason}, on '$(pod_node "$pod")'"
    [ -n "$text" ] || return 1
    for part in "$@"; do [[ $text == *"$part"* ]] || return 1; done
}
has_event() { # POD REASON PART...: one of its events contains each part
    local pod=$1 reason=$2 events line part
    shift 2
    events=$(pod_events "$pod" "$reason")
    echo "${events:-no event $reason}"
    while IFS= read -r line; do
        [ -n "$line" ] || continue
        for part in "$@"; do [[ $line == *"$part"* ]] || continue 2; done
        return 0
    done <<<"$events"
    return 1
}

expect_on() { wait_for "$patience" "pod $1 on ${*:2}" is_on "$@"; }
expect_bound() { wait_for "$patience" "pod $1 bound" is_bound "$1"; }
expect_event() { wait_for "$patience" "event $2 of pod $1 with: ${*:3}" has_event "$@"; }
expect_waiting() { # POD PART...
    wait_for "$patience" "pod $1 waiting, with a reason that contains: ${*:2}" says "$@"
    assert_equal "node of pod $1" '' "$(pod_node "$1")"
}

## What came of a node

latency_status() { k get nodelatency "$X-$1" -o json | jq -c '.status // {}'; }
status_is() { # NODE JQ-CONDITION
    local status
    status=$(latency_status "$1")
    echo "$status"
    jq -e "$2" <<<"$status" >/dev/null
}
expect_status() { wait_for "$patience" "status of $X-$1 with $2" status_is "$@"; }

# fnv1a TEXT: FNV-1a, 64 bit, as 16 hexadecimal digits. Shell arithmetic wraps at 64 bit, as it should.
fnv1a() {
    local hash=$((0xcbf29ce484222325)) i byte
    for ((i = 0; i < ${#1}; i++)); do
        printf -v byte '%d' "'${1:i:1}" # no process for each of 6,000 bytes
        hash=$(((hash ^ byte) * 0x100000001b3))
    done
    printf '%016x\n' "$hash"
}

# What status.reserved and podSetHash of a node should be, from its bound pods with a target: "PODS MBPS HASH".
reserved_by_pods() { # NODE
    local sums uids
    sums=$(k get pods -A --field-selector "spec.nodeName=$X-$1" -o json | jq -r '
        [.items[] | select((.status.phase | IN("Succeeded", "Failed") | not) and .spec.schedulerName == "latency-aware-scheduler")
            | select(.metadata.annotations // {} | has("latency-target-us") or has("nodelatency.dev/target-us"))]
        | "\(length) \([.[].metadata.annotations["nodelatency.dev/bandwidth-mbps"] // "0" | tonumber] | add // 0) \([.[].metadata.uid] | sort | join(""))"')
    uids=${sums#* * }
    echo "${sums% *} $(fnv1a "$uids")"
}
reserved_by_status() { latency_status "$1" | jq -r '"\(.reserved.latencyPods) \(.reserved.bandwidthMbps // 0) \(.podSetHash)"'; }
status_agrees() { # NODE...: reserved and hash are those of the bound pods
    local name status pods
    for name in "$@"; do
        status=$(reserved_by_status "$name") pods=$(reserved_by_pods "$name")
        echo "$X-$name: status says $status, pods are $pods"
        [ "$status" = "$pods" ] || return 1
    done
}
expect_agreement() { wait_for "$patience" "status.reserved of $* as the sum over bound pods" status_agrees "$@"; }

# Records each change of the scenario's pods, from now on, as "MILLISECONDS TYPE NAME UID NODE" lines in a file.
watch_pods() { # FILE
    local version
    version=$(k get --raw "/api/v1/namespaces/$NS/pods?limit=1" | jq -r .metadata.resourceVersion)
    "$KUBECTL" --kubeconfig "$E2E_DIR/admin.kubeconfig" get --raw \
        "/api/v1/namespaces/$NS/pods?watch=1&allowWatchBookmarks=false&resourceVersion=$version" 2>/dev/null |
        jq --unbuffered -r '"\(now * 1000 | floor) \(.type) \(.object.metadata.name) \(.object.metadata.uid) \(.object.spec.nodeName // "-")"' >"$1" 2>/dev/null &
}

## The scheduler

http_get() { # PORT PATH: prints the body; fails unless the answer is 200
    local answer
    answer=$(
        exec 3<>"/dev/tcp/127.0.0.1/$1" && printf 'GET %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n' "$2" >&3 &&
            timeout 5 cat <&3
    ) 2>/dev/null || return 1
    printf '%s\n' "${answer#*$'\r\n\r\n'}"
    [[ $answer == HTTP/1.?\ 200* ]]
}

# A process that has ended but was not waited for has no executable any more.
scheduler_lives() { readlink "/proc/$scheduler_pid/exe" >/dev/null; }
scheduler_ready() { http_get "$scheduler_port" /readyz; }

scheduler_launch() { # FLAG...: start it, wait for nothing
    # A tight loop of restarts keeps its port, as a service would.
    scheduler_port=${scheduler_port:-$(controlplane_free_port 1)}
    "$E2E_SCHEDULER" --kubeconfig "$E2E_DIR/scheduler.kubeconfig" --watch-transport="$E2E_TRANSPORT" --port="$scheduler_port" \
        --seed=1 "$@" </dev/null >>"$E2E_LOG" 2>&1 &
    scheduler_pid=$!
}
scheduler_start() { # FLAG...: start it and wait until it is ready
    scheduler_launch "$@"
    wait_for 10 "/readyz of the scheduler" scheduler_ready
}

# Kill it as a crash would.
scheduler_kill() {
    kill -KILL "$scheduler_pid"
    wait "$scheduler_pid" 2>/dev/null || true
    scheduler_pid=''
}

# Stop it as Kubernetes would; it must end by itself, with status 0, within 10 s. Sets stop_ms to the time it took.
scheduler_stop() {
    local pid=$scheduler_pid begin status=0
    begin=$(now_ms)
    kill -TERM "$pid" 2>/dev/null || fail "the scheduler had ended by itself"
    while scheduler_lives; do
        stop_ms=$(($(now_ms) - begin))
        [ "$stop_ms" -lt 10000 ] || fail "the scheduler did not end within 10 s of SIGTERM"
        sleep 0.02
    done
    stop_ms=$(($(now_ms) - begin))
    scheduler_pid=''
    wait "$pid" || status=$?
    assert_equal "exit status of the scheduler after SIGTERM" 0 "$status"
}

scheduler_fds() { find "/proc/$scheduler_pid/fd" -mindepth 1 | wc -l; }
scheduler_rss_kib() { awk '$1 == "VmRSS:" { print $2 }' "/proc/$scheduler_pid/status"; }

## Begin and end of a scenario

cleanup() { # STATUS COMMAND: how the scenario ended, and with which command
    local status=$1
    # A command that fails under set -e would otherwise end the scenario without a word.
    [ "$status" -eq 0 ] || [ -n "$said" ] || echo "FAILED: exit status $status of: $2" >&2
    if [ -n "$scheduler_pid" ]; then
        kill -TERM "$scheduler_pid" 2>/dev/null || true
        for _ in $(seq 40); do scheduler_lives || break; sleep 0.05; done
        kill -KILL "$scheduler_pid" 2>/dev/null || true
    fi
    jobs -p | xargs -r kill 2>/dev/null || true
    {
        delete_pods
        k get nodes -o name | { grep "^node/$X-" || true; } | xargs -r "$KUBECTL" --kubeconfig "$E2E_DIR/admin.kubeconfig" delete --wait=false
        k get nodelatencies -o name | { grep "/$X-" || true; } | xargs -r "$KUBECTL" --kubeconfig "$E2E_DIR/admin.kubeconfig" delete --wait=false
    } >/dev/null 2>&1 || true
    if grep -qE 'AddressSanitizer|LeakSanitizer|runtime error:|CHECK failed' "$E2E_LOG" 2>/dev/null; then
        echo "FAILED: the log of the scheduler has the report of a sanitizer or a failed check" >&2
        status=1
    fi
    exit "$status"
}
trap 'cleanup $? "$BASH_COMMAND"' EXIT
trap 'exit 1' TERM INT
k create namespace "$NS" >/dev/null
