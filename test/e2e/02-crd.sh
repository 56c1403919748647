#!/usr/bin/env bash
# transports: http
# scheduler: no
# Every accepted and rejected object of test/crd, and the rights of the scheduler's own user.
. "$(dirname "$0")/lib.sh"

KUBECONFIG=$E2E_DIR/admin.kubeconfig "$root/test/crd/run.sh"

# "VERB RESOURCE[/SUBRESOURCE]"; for kubectl what stands behind a slash is a name.
as_scheduler() {
    local verb=$1 resource=${2%%/*} subresource=''
    [ "$resource" = "$2" ] || subresource=--subresource=${2#*/}
    "$KUBECTL" --kubeconfig "$E2E_DIR/scheduler.kubeconfig" auth can-i "$verb" "$resource" ${subresource:+"$subresource"} -A 2>/dev/null || true
}
for may in "list pods" "watch nodes" "create pods/binding" "patch pods/status" "create events.events.k8s.io" \
    "watch nodelatencies.nodelatency.dev" "patch nodelatencies.nodelatency.dev/status"; do
    # shellcheck disable=SC2086 # verb and resource are words
    assert_equal "scheduler may $may" yes "$(as_scheduler $may)"
done
for may_not in "get secrets" "patch pods" "delete pods" "create pods/eviction" "patch nodes" "update nodelatencies.nodelatency.dev" \
    "patch nodelatencies.nodelatency.dev" "get configmaps" "list persistentvolumeclaims"; do
    # shellcheck disable=SC2086
    assert_equal "scheduler may $may_not" no "$(as_scheduler $may_not)"
done
