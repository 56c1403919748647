#!/usr/bin/env bash
# The latency-aware scheduler doing its job on a real Kubernetes API server, from nothing to pods on the right nodes.
#
# usage: examples/demo.sh [--keep] [--kubeconfig FILE]
#   --keep              leave everything running at the end, and say how to use and how to stop it
#   --kubeconfig FILE   use the cluster of FILE and its nodes, instead of a control plane started here. The pods go to the
#                       namespace latency-demo; what the demo made is deleted at the end. FILE must give an admin's rights.
#   --help              this text
#
# Installs the Debian packages that are missing, builds the scheduler, and builds the control plane (once, 5 to 10 minutes;
# needs Go 1.26, or KUBEBUILDER_ASSETS). Exit status: 0 all came out as expected, 1 it did not.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
files=$root/examples/demo
# shellcheck source=../test/controlplane/lib.sh
. "$root/test/controlplane/lib.sh"

namespace=latency-demo
dir='' scheduler_pid='' keep=false given='' made_crd=false made_rbac=false
measured=() # NodeLatency objects that were made in a given cluster

say() { printf '\n== %s\n' "$*"; }
fail() { printf '\ndemo: FAILED: %s\n' "$*" >&2; exit 1; }
# Shows a command as a reader would type it, and runs it.
show() {
    local words=$*
    words=${words/#pods /kubectl -n $namespace }
    printf '$ %s\n' "${words//"$root/"/}"
    "$@"
}
kubectl() { command "$kubectl" --kubeconfig "$kubeconfig" --request-timeout 30s "$@"; }
pods() { kubectl -n "$namespace" "$@"; }

options() {
    while [ $# -gt 0 ]; do
        case $1 in
        --keep) keep=true ;;
        --kubeconfig)
            [ $# -ge 2 ] || fail "--kubeconfig needs a file"
            given=$2
            shift ;;
        --kubeconfig=*) given=${1#*=} ;;
        -h | --help)
            sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p}' "${BASH_SOURCE[0]}"
            exit 0 ;;
        *)
            echo "demo.sh: unknown option $1; see --help" >&2
            exit 2 ;;
        esac
        shift
    done
    [ -z "$given" ] || [ -r "$given" ] || fail "there is no file $given"
}

# wait_for SECONDS WHAT COMMAND...: until the command succeeds; otherwise the demo has failed, with what was seen last.
wait_for() {
    local seconds=$1 what=$2 end out
    shift 2
    end=$((SECONDS + seconds))
    until out=$("$@" 2>&1); do
        [ "$SECONDS" -lt "$end" ] || fail "waited $seconds s for: $what; last seen: ${out:-nothing}"
        [ -z "$scheduler_pid" ] || kill -0 "$scheduler_pid" 2>/dev/null ||
            fail "the scheduler ended by itself; its last lines: $(tail -n 5 "$dir/scheduler.log")"
        sleep 0.1
    done
}

## Beginning and end

finish() {
    local status=$?
    if [ -n "$dir" ]; then
        if "$keep" && [ "$status" = 0 ]; then
            say "everything is left running"
            echo "  export KUBECONFIG=$kubeconfig"
            echo "  kubectl get nodelatency -o wide; kubectl -n $namespace get pods -o wide"
            echo "  log of the scheduler: $dir/scheduler.log"
            echo "  stop it:"
            echo "    kill $scheduler_pid"
            if [ -n "$given" ]; then undo echo "    kubectl"; else echo "    test/controlplane/down.sh $dir"; fi
            exit 0
        fi
        stop_scheduler
        if [ -n "$given" ]; then
            undo "$kubectl" --kubeconfig "$kubeconfig" >/dev/null 2>&1 || true
        else
            controlplane_down "$dir"
        fi
        if [ "$status" = 0 ]; then rm -rf "$dir"; else echo "logs: $dir" >&2; fi
    fi
    exit "$status"
}
stop_scheduler() {
    [ -n "$scheduler_pid" ] || return 0
    kill -TERM "$scheduler_pid" 2>/dev/null || true
    for _ in $(seq 100); do
        readlink "/proc/$scheduler_pid/exe" >/dev/null || break
        sleep 0.05
    done
    kill -KILL "$scheduler_pid" 2>/dev/null || true
    scheduler_pid=''
}
# undo COMMAND...: delete what was made in a given cluster, with this kubectl (or an echo of it).
undo() {
    local command=("$@")
    "${command[@]}" delete namespace "$namespace" --ignore-not-found --wait=false
    [ ${#measured[@]} = 0 ] || "${command[@]}" delete nodelatency "${measured[@]}" --ignore-not-found
    ! "$made_rbac" || "${command[@]}" delete --ignore-not-found -f "$root/crd/rbac.yaml"
    ! "$made_crd" || "${command[@]}" delete --ignore-not-found -f "$root/crd/agent-policy.yaml" -f "$root/crd/nodelatency.yaml"
}

start_control_plane() {
    local begin=$SECONDS
    controlplane_assets >/dev/null
    say "starting etcd and kube-apiserver"
    "$root/test/controlplane/up.sh" "$dir"
    kubeconfig=$dir/admin.kubeconfig scheduler_kubeconfig=$dir/scheduler.kubeconfig
    echo "ready after $((SECONDS - begin)) s: $(kubectl get --raw /version | jq -r .gitVersion)"
}

apply_crd() {
    say "the NodeLatency resource, and the rights of the scheduler"
    if [ -n "$given" ]; then
        kubectl get crd nodelatencies.nodelatency.dev >/dev/null 2>&1 || made_crd=true
        kubectl get clusterrole latency-aware-scheduler >/dev/null 2>&1 || made_rbac=true
        ! "$made_crd" || show kubectl apply -f "$root/crd/nodelatency.yaml" -f "$root/crd/agent-policy.yaml"
        ! "$made_rbac" || show kubectl apply -f "$root/crd/rbac.yaml"
    else
        show kubectl apply -f "$root/crd/"
    fi
    kubectl wait --for=condition=Established crd/nodelatencies.nodelatency.dev --timeout=30s >/dev/null
    wait_for 30 "nodelatencies to be served" kubectl get nodelatencies -o name
    kubectl create namespace "$namespace" >/dev/null || fail "there is a namespace $namespace already: is another demo running?"
}

start_scheduler() {
    say "the scheduler"
    scheduler_port=$(controlplane_free_port 1)
    # Out of the reach of Ctrl-C: it is stopped in order, after the demo, and stays with --keep.
    setsid "$scheduler" --kubeconfig "$scheduler_kubeconfig" --port="$scheduler_port" </dev/null >"$dir/scheduler.log" 2>&1 &
    scheduler_pid=$!
    wait_for 30 "the scheduler to be ready" ready
    echo "ready: $(basename "$scheduler") is process $scheduler_pid, $(awk '$1 == "VmRSS:" { print $2 }' "/proc/$scheduler_pid/status") KiB of memory"
}
ready() {
    local status
    status=$(exec 3<>"/dev/tcp/127.0.0.1/$scheduler_port" && printf 'GET /readyz HTTP/1.0\r\n\r\n' >&3 && timeout 5 head -n 1 <&3) &&
        [[ $status == HTTP/1.?\ 200* ]]
}

## Nodes and what is known of their latency

# The five nodes of the demo, in a control plane of our own.
own_nodes() {
    say "five nodes in two zones, and what is known of their latency"
    show kubectl apply -f "$files/nodes.yaml"
    sed "s/@MINUTES_AGO@/$(date -u -d '-200 seconds' +%Y-%m-%dT%H:%M:%SZ)/" "$files/nodelatency.yaml" >"$dir/nodelatency.yaml"
    show kubectl apply -f "$dir/nodelatency.yaml"
    fast=fx-1 room=3 slow=fx-2
}

static_latency() { # NODE P99 PODS
    printf '%s\n' "apiVersion: nodelatency.dev/v1alpha1" "kind: NodeLatency" "metadata: {name: \"$1\"}" \
        "spec: {capacity: {latencyPods: $3}, targets: [{name: ny4, rtt: {p99Microseconds: $2}}]}"
}

# The nodes of a given cluster: the first that takes pods is said to be fast, every other slow.
given_nodes() {
    local nodes node
    say "a NodeLatency for each node of the cluster"
    nodes=$(kubectl get nodes -o json | jq -r '.items | sort_by([((.spec.unschedulable // false) or
        any(.spec.taints[]?; .effect == "NoSchedule" or .effect == "NoExecute")), .metadata.name])[].metadata.name')
    [ -n "$nodes" ] || fail "the cluster has no node"
    fast='' slow='' room=2
    for node in $nodes; do
        ! kubectl get nodelatency "$node" >/dev/null 2>&1 || fail "node $node has a NodeLatency already; the demo does not touch it"
    done
    for node in $nodes; do
        measured+=("$node")
        if [ -z "$fast" ]; then
            fast=$node
            static_latency "$node" 8 "$room"
        else
            [ -n "$slow" ] || slow=$node
            static_latency "$node" 80 1
        fi | kubectl apply -f -
    done
    : "${slow:=$fast}"
}

improve() {
    say "the latency of $slow gets better: a waiting pod is bound"
    if [ -z "$given" ]; then
        show kubectl apply -f "$files/improved.yaml"
    elif [ "$slow" != "$fast" ]; then
        show kubectl apply -f - < <(static_latency "$slow" 9 1)
    else # the only node: room for one pod more
        show kubectl apply -f - < <(static_latency "$fast" 8 $((room + 1)))
    fi
}

## Pods and what came of them

pod_node() { pods get pod "$1" -o jsonpath='{.spec.nodeName}'; }
pod_message() {
    pods get pod "$1" -o json | jq -r '.status.conditions[]? | select(.type == "PodScheduled" and .status == "False") | .reason + ": " + .message'
}
is_on() { # POD [NODE]
    local on
    on=$(pod_node "$1")
    echo "on '$on', $(pod_message "$1")"
    [ -n "$on" ] && [ "$on" = "${2:-$on}" ]
}
waits() { # POD PART: it is not bound, and its reason contains PART
    local message
    message=$(pod_message "$1")
    echo "on '$(pod_node "$1")', ${message:-no reason}"
    [ -z "$(pod_node "$1")" ] && [[ $message == *"$2"* ]]
}
has_event() { # POD REASON
    pods get events.events.k8s.io -o json | jq -e --arg pod "$1" --arg reason "$2" 'any(.items[]; .regarding.name == $pod and .reason == $reason)'
}
quoters() { # bound|waiting: their names
    pods get pods -l app=quoter -o json | jq -r --arg state "$1" '.items[]
        | select(if $state == "bound" then .spec.nodeName else
            (.spec.nodeName | not) and any(.status.conditions[]?; .type == "PodScheduled" and (.message | contains("latency capacity full"))) end)
        | .metadata.name'
}
quoters_are() { # BOUND WAITING
    local bound waiting
    bound=$(quoters bound | wc -l) waiting=$(quoters waiting | wc -l)
    echo "$bound bound, $waiting waiting for capacity"
    [ "$bound $waiting" = "$1 $2" ]
}

try_unquoted() {
    local answer
    if answer=$(pods apply -f "$files/unquoted.yaml" 2>&1); then
        fail "a pod with an unquoted target was taken: $answer"
    fi
    [[ $answer == *"cannot unmarshal number"* ]] || fail "a pod with an unquoted target was refused for another reason: $answer"
    printf '$ kubectl apply -f examples/demo/unquoted.yaml\n%s\n' "$answer"
}

apply_pods() {
    local taken=0
    say "pods"
    if [ -z "$given" ]; then
        show pods apply -f "$files/trader.yaml"
        wait_for 20 "pod trader on $fast" is_on trader "$fast"
        taken=1
    fi
    show pods apply -f "$files/too-tight.yaml"
    show pods apply -f "$files/ill-formed.yaml"
    show pods apply -f "$files/plain.yaml"
    try_unquoted
    wait_for 20 "pod too-tight waiting, latency above target" waits too-tight "latency above target (best 8us on $fast, want <=3us ny4 p99)"
    wait_for 20 "pod ill-formed waiting, its annotation named" waits ill-formed "SchedulerError: annotation latency-target-us: must be digits only"
    wait_for 20 "event InvalidLatencyAnnotation at pod ill-formed" has_event ill-formed InvalidLatencyAnnotation
    wait_for 20 "pod plain bound" is_on plain
    show pods apply -f "$files/quoters.yaml"
    fitting=$((room - taken))
    wait_for 20 "$fitting of 4 quoters bound, the others waiting for capacity" quoters_are "$fitting" $((4 - fitting))
    wait_for 20 "status of $fast with all its latency pods reserved" reserved_is "$fast" "$room/$room"
}
reserved_is() { # NODE TEXT
    local text
    text=$(kubectl get nodelatency "$1" -o jsonpath='{.status.summary.reservedPods}')
    echo "${text:-nothing}"
    [ "$text" = "$2" ]
}

show_all() {
    local pod
    say "what came of it"
    show kubectl get nodelatency -o wide
    echo
    show pods get pods -o wide
    say "what the waiting pods say"
    for pod in $(pods get pods -o json | jq -r '.items[] | select(.spec.nodeName | not) | .metadata.name'); do
        printf '%s: %s\n' "$pod" "$(pod_message "$pod")"
    done
}

last_check() {
    local bound waiting expected_bound expected_waiting
    bound=$(pods get pods -o json | jq '[.items[] | select(.spec.nodeName)] | length')
    waiting=$(pods get pods -o json | jq '[.items[] | select(.spec.nodeName | not)] | length')
    expected_bound=$((fitting + 2)) expected_waiting=$((2 + 4 - fitting - 1))
    [ -n "$given" ] || expected_bound=$((expected_bound + 1))
    [ "$bound $waiting" = "$expected_bound $expected_waiting" ] ||
        fail "$bound pods are bound and $waiting wait; it should be $expected_bound and $expected_waiting"
    wait_for 5 "pod too-tight still waiting" waits too-tight "latency above target"
    wait_for 5 "pod ill-formed still waiting" waits ill-formed "SchedulerError: "
    printf '\ndemo: ok, %d pods bound, %d waiting as they should\n' "$bound" "$waiting"
}

options "$@"
# What is said at once need not be found out after a long build.
[ -n "$given" ] || controlplane_check || exit 1
"$root/test/install-packages.sh"
say "building the scheduler"
(cd "$root" && cmake --preset release >/dev/null && cmake --build --preset release --target latency-aware-scheduler)
scheduler=$root/build/release/bin/latency-aware-scheduler
dir=$(mktemp -d -t latency-demo.XXXXXX)
trap finish EXIT
trap 'exit 1' INT TERM
kubectl=$(controlplane_kubectl)
if [ -n "$given" ]; then
    kubeconfig=$(realpath "$given") scheduler_kubeconfig=$kubeconfig
else
    start_control_plane
fi
apply_crd
if [ -n "$given" ]; then given_nodes; else own_nodes; fi
start_scheduler
apply_pods
show_all
improve
wait_for 20 "one more quoter bound" quoters_are $((fitting + 1)) $((4 - fitting - 1))
wait_for 20 "status of $slow with that pod reserved" reserved_is "$slow" "$([ "$slow" = "$fast" ] && echo "$((room + 1))/$((room + 1))" || echo 1/1)"
show pods get pods -l app=quoter -o wide
show kubectl get nodelatency -o wide
last_check
