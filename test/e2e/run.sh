#!/usr/bin/env bash
# run.sh [--scheduler BIN] [--only NAME] [--transport http|websocket] [--keep]: run the scenarios NN-name.sh of this folder
# against a real control plane, which is started here once for all.
# A scenario says in its first lines what it wants:
#   # transports: http websocket     one run each (default: http)
#   # timeout: SECONDS               default 120
#   # scheduler: no                  it starts none
# NAME is a part of a scenario's name. --keep leaves control plane and logs (kept too where something failed, without the
# control plane). Exit status: 0 all passed, 1 a scenario failed, 2 nothing could be run.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
# shellcheck source=../controlplane/lib.sh
. "$root/test/controlplane/lib.sh"

scheduler=$root/build/release/bin/latency-aware-scheduler only='' transport='' keep=false
usage() { sed -n '2,3p' "${BASH_SOURCE[0]}" | sed 's/^# //' >&2; exit 2; }
while [ $# -gt 0 ]; do
    case $1 in
    --scheduler | --only | --transport)
        [ $# -ge 2 ] || usage
        printf -v "${1#--}" %s "$2"
        shift 2 ;;
    --keep) keep=true; shift ;;
    *) usage ;;
    esac
done
[ -x "$scheduler" ] || { echo "run.sh: there is no program $scheduler: build it, or name another with --scheduler" >&2; exit 2; }
scheduler=$(realpath "$scheduler")

controlplane_check || exit 2
E2E_ASSETS=$(controlplane_assets)
KUBECTL=$(controlplane_kubectl)
E2E_DIR=$(mktemp -d -t latency-aware-scheduler-e2e.XXXXXX)
E2E_SCHEDULER=$scheduler
export E2E_ASSETS KUBECTL E2E_DIR E2E_SCHEDULER
passed=0 failed=0 skipped=0

finish() {
    if ! "$keep"; then
        controlplane_down "$E2E_DIR"
        [ "$failed" != 0 ] || rm -rf "$E2E_DIR"
    fi
}
trap finish EXIT
trap 'exit 1' INT TERM

k() { "$KUBECTL" --kubeconfig "$E2E_DIR/admin.kubeconfig" --request-timeout 10s "$@"; }
# A scenario that failed half way may have left the control plane in any state.
ensure_control_plane() {
    if [ "$(k get --raw /readyz 2>/dev/null)" != ok ]; then
        "$root/test/controlplane/up.sh" "$E2E_DIR"
    fi
    if ! k get crd nodelatencies.nodelatency.dev >/dev/null 2>&1; then
        k apply -f "$root/crd/" >/dev/null
        k wait --for=condition=Established crd/nodelatencies.nodelatency.dev --timeout=20s >/dev/null
    fi
}
header() { sed -n "1,12s/^# $1: //p" "$2"; }

run() { # FILE TRANSPORT
    local file=$1 name begin=$SECONDS limit status=0
    name=$(basename "$file" .sh)
    limit=$(header timeout "$file")
    export E2E_TRANSPORT=$2 E2E_ID=s${name%%-*}${2:0:1} E2E_LOG=$E2E_DIR/$name-$2.scheduler.log
    ensure_control_plane
    timeout -k 15 "${limit:-120}" bash "$file" >"$E2E_DIR/$name-$2.out" 2>&1 </dev/null || status=$?
    if [ "$status" = 0 ]; then
        passed=$((passed + 1))
        echo "ok $name ($2) $((SECONDS - begin))s"
    else
        failed=$((failed + 1))
        [ "$status" != 124 ] || echo "FAILED: not done after ${limit:-120} s" >>"$E2E_DIR/$name-$2.out"
        echo "FAILED $name ($2) $((SECONDS - begin))s"
        tail -n 15 "$E2E_DIR/$name-$2.out" | sed 's/^/    /'
        [ ! -s "$E2E_LOG" ] || tail -n 10 "$E2E_LOG" | sed 's/^/    scheduler: /'
        return
    fi
    # What a scenario measured.
    sed -n 's/^measured: /    /p' "$E2E_DIR/$name-$2.out"
}

for file in "$here"/[0-9][0-9]-*.sh; do
    [[ $(basename "$file" .sh) == *"$only"* ]] || continue
    transports=$(header transports "$file")
    for t in ${transports:-http}; do
        if [ -z "$transport" ] || [ "$t" = "$transport" ]; then run "$file" "$t"; fi
    done
done
if "$keep"; then
    echo "the control plane is running: export KUBECONFIG=$E2E_DIR/admin.kubeconfig; stop it with test/controlplane/down.sh $E2E_DIR"
elif [ "$failed" != 0 ]; then
    echo "logs: $E2E_DIR"
fi
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
