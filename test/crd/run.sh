#!/usr/bin/env bash
# Checks the NodeLatency CRD (crd/nodelatency.yaml) of the cluster that KUBECONFIG names: is each case file accepted or rejected as it should be?
# Everything is a server-side dry run; the one object it needs for the status cases (crd-cases) is deleted at the end.
#
# usage: run.sh [FOLDER...]                       default: the folder of this script
#   accepted/*.yaml, rejected/*.yaml              kubectl apply
#   status-accepted/*.yaml, status-rejected/*.yaml   kubectl replace --subresource=status
# A leading comment "# want: TEXT" (repeatable; at least one in a rejected file) must occur in what kubectl prints:
# the server's message where the object is rejected, the stored object as YAML where it is accepted.
# KUBECTL names the kubectl to use (default: the one on PATH).
# Exit status: 0 all passed, 1 a case failed, 2 the cases could not be run.
set -u
kubectl=${KUBECTL:-kubectl}
dry=(--dry-run=server --validate=strict -o yaml --request-timeout=30s)
passed=0 failed=0

say() { printf '%s\n' "$*" >&2; }

check() { # FILE accepted|rejected COMMAND...: runs the command on the file and compares
    local file=$1 expected=$2 out verdict=rejected want wants problem=
    shift 2
    out=$("$@" -f "$file" 2>&1) && verdict=accepted
    wants=$(sed -n 's/^# want: //p' "$file")
    if [ "$verdict" != "$expected" ]; then
        problem="was $verdict"
    elif [ "$expected" = rejected ] && [ -z "$wants" ]; then
        problem="has no '# want:' line"
    fi
    while [ -z "$problem" ] && IFS= read -r want; do
        [ -z "$want" ] || grep -qF -- "$want" <<<"$out" || problem="does not say: $want"
    done <<<"$wants"
    if [ -z "$problem" ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        say "FAILED $file: $problem"
        say "$out"
    fi
}

"$kubectl" get crd nodelatencies.nodelatency.dev >/dev/null || {
    say "run.sh: no NodeLatency CRD in reach: check KUBECONFIG, then apply crd/nodelatency.yaml"
    exit 2
}
[ $# -gt 0 ] || set -- "$(dirname "$0")"
trap '"$kubectl" delete nodelatency crd-cases --ignore-not-found >/dev/null 2>&1' EXIT
"$kubectl" apply -f - >/dev/null <<'OBJECT' || exit 2
apiVersion: nodelatency.dev/v1alpha1
kind: NodeLatency
metadata: {name: crd-cases}
spec: {}
OBJECT

for folder in "$@"; do
    [ -d "$folder" ] || { say "run.sh: no folder $folder"; exit 2; }
    for verdict in accepted rejected; do
        for file in "$folder/$verdict"/*.yaml; do
            [ ! -e "$file" ] || check "$file" $verdict "$kubectl" apply "${dry[@]}"
        done
        for file in "$folder/status-$verdict"/*.yaml; do
            [ ! -e "$file" ] || check "$file" $verdict "$kubectl" replace --subresource=status "${dry[@]}"
        done
    done
done
echo "$passed passed, $failed failed, 0 skipped"
[ $failed -eq 0 ] && [ $passed -gt 0 ]
