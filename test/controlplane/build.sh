#!/usr/bin/env bash
# build.sh: build the control plane into ${XDG_CACHE_HOME:-$HOME/.cache}/latency-aware-scheduler, once for each content of
# this folder. Prints the path of a folder with the programs etcd, kube-apiserver, kube-controller-manager, kube-scheduler
# and kubectl (links to one binary), usable as KUBEBUILDER_ASSETS. See README.md for what it takes.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cache=${XDG_CACHE_HOME:-${HOME:?HOME or XDG_CACHE_HOME must be set}/.cache}/latency-aware-scheduler
key=$(cat "$here"/{go.mod,go.sum,main.go,build.sh} | sha256sum | cut -c1-16)
out=$cache/controlplane-$key

# A line every few seconds: the first build is the longest wait that a newcomer has.
show_progress() { # LOG: go's output, with a line for each downloaded module and each compiled package
    local compiled loaded
    while sleep 5; do
        compiled=$(grep -cE '^[a-zA-Z0-9._/-]+$' "$1" || true)
        loaded=$(grep -c '^go: downloading' "$1" || true)
        if [ "$compiled" = 0 ]; then
            printf '  %d:%02d  %d modules downloaded\n' $((SECONDS / 60)) $((SECONDS % 60)) "$loaded"
        else
            printf '  %d:%02d  %d packages compiled (of about 2,700)\n' $((SECONDS / 60)) $((SECONDS % 60)) "$compiled"
        fi
    done >&2
}

build() {
    local version minor flags="-s -w" package log=$out/build.log progress status=0
    version=$(awk '$1 == "k8s.io/kubernetes" { print $2; exit }' "$here/go.mod")
    minor=${version#v1.}
    minor=${minor%%.*}
    # What the makefiles of Kubernetes set, for "kubectl version" and /version.
    for package in k8s.io/component-base/version k8s.io/client-go/pkg/version; do
        flags+=" -X $package.gitVersion=$version -X $package.gitMajor=1 -X $package.gitMinor=$minor -X $package.gitTreeState=clean"
    done
    echo "building the control plane, Kubernetes $version: 5 to 10 minutes on 2 processors, once" >&2
    SECONDS=0
    : >"$log"
    show_progress "$log" &
    progress=$!
    (cd "$here" && CGO_ENABLED=0 GOTOOLCHAIN=local go build -v -p 2 -trimpath -buildvcs=false \
        -tags=selinux,notest,grpcnotrace -ldflags "$flags" -o "$out/controlplane.new" .) >"$log" 2>&1 || status=$?
    kill "$progress" 2>/dev/null || true
    wait "$progress" 2>/dev/null || true
    if [ "$status" != 0 ]; then
        echo "building the control plane failed; go said:" >&2
        grep -vE '^([a-zA-Z0-9._/-]+|go: downloading .*)$' "$log" >&2 || tail -n 5 "$log" >&2
        return 1
    fi
    for package in etcd kube-apiserver kube-controller-manager kube-scheduler kubectl; do
        ln -sf controlplane "$out/$package"
    done
    mv "$out/controlplane.new" "$out/controlplane"
    echo "built in $SECONDS s: $out" >&2
}

if [ ! -x "$out/controlplane" ]; then
    mkdir -p "$out"
    exec 9>"$out/lock"
    if ! flock -n 9; then
        echo "waiting for another build of the control plane" >&2
        flock 9
    fi
    [ -x "$out/controlplane" ] || build 9>&-
fi
echo "$out"
