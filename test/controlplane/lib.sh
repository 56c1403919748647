# shellcheck shell=bash
# lib.sh, to be sourced: which etcd, kube-apiserver and kubectl to use, and starting and stopping them in a folder.
# A folder DIR of a control plane holds: admin.kubeconfig, kube-scheduler.kubeconfig, scheduler.kubeconfig, pki/, port,
# etcd/ (data), and for each process NAME.pid and NAME.log.

controlplane_here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
controlplane_go_minor=26 # of the "go" line in go.mod

controlplane_say() { printf '%s\n' "$*" >&2; }

# Is there a Go that can build go.mod? GOTOOLCHAIN=local: an older one would go and fetch a newer one.
controlplane_have_go() {
    local version
    command -v go >/dev/null || return 1
    version=$(GOTOOLCHAIN=local GOFLAGS='' go env GOVERSION 2>/dev/null) || return 1
    [[ $version =~ ^go1\.([0-9]+) ]] && [ "${BASH_REMATCH[1]}" -ge "$controlplane_go_minor" ]
}

# Fails, with all ways out, if no control plane can be had.
controlplane_check() {
    local program
    if [ -n "${KUBEBUILDER_ASSETS:-}" ]; then
        for program in etcd kube-apiserver; do
            [ -x "$KUBEBUILDER_ASSETS/$program" ] && continue
            controlplane_say "KUBEBUILDER_ASSETS is set to $KUBEBUILDER_ASSETS, but there is no program $program in it"
            return 1
        done
    elif ! controlplane_have_go; then
        controlplane_say "There is nothing to make a Kubernetes control plane from. Do one of these:"
        controlplane_say "  - install Go 1.$controlplane_go_minor or later (on PATH: $(go version 2>/dev/null || echo 'no go')); the control plane is then built, once"
        controlplane_say "  - set KUBEBUILDER_ASSETS to a folder with the programs etcd and kube-apiserver"
        controlplane_say "  - for the demo, use a cluster that you have: examples/demo.sh --kubeconfig FILE"
        return 1
    fi
}

# Prints the folder with etcd and kube-apiserver, built if need be.
controlplane_assets() {
    if [ -n "${KUBEBUILDER_ASSETS:-}" ]; then
        printf '%s\n' "$KUBEBUILDER_ASSETS"
    else
        "$controlplane_here/build.sh"
    fi
}

# Prints the path of the kubectl to use: the one on PATH, else the one beside etcd, else the one in our binary.
controlplane_kubectl() {
    local built
    if command -v kubectl; then
        return
    elif [ -n "${KUBEBUILDER_ASSETS:-}" ] && [ -x "$KUBEBUILDER_ASSETS/kubectl" ]; then
        printf '%s\n' "$KUBEBUILDER_ASSETS/kubectl"
    elif controlplane_have_go; then
        built=$("$controlplane_here/build.sh") && printf '%s\n' "$built/kubectl"
    else
        controlplane_say "There is no kubectl: put one on PATH, or into KUBEBUILDER_ASSETS, or install Go 1.$controlplane_go_minor or later"
        return 1
    fi
}

# controlplane_free_port [COUNT]: prints a loopback port that nothing listens on, the first of COUNT free ones in a row.
# Below 32768, so that no outgoing connection takes it meanwhile.
controlplane_free_port() {
    local count=${1:-1} first i
    for _ in $(seq 200); do
        first=$((RANDOM % 12000 + 20000))
        for ((i = 0; i < count; i++)); do
            ! (exec 3<>"/dev/tcp/127.0.0.1/$((first + i))") 2>/dev/null || continue 2
        done
        echo "$first"
        return
    done
    controlplane_say "found no free loopback port"
    return 1
}

# controlplane_pid DIR NAME: prints the pid of a process that was started in DIR and is alive. The working directory tells
# it from a stranger that was given the same pid later.
controlplane_pid() {
    local pid
    pid=$(cat "$1/$2.pid" 2>/dev/null) && [ -n "$pid" ] && [ "$(readlink "/proc/$pid/cwd")" = "$1" ] && echo "$pid"
}

# controlplane_start DIR NAME COMMAND...: in a session of its own, so that Ctrl-C reaches who started it and not the server,
# and no job of the shell, so that a script which ends its jobs does not end it.
controlplane_start() {
    local dir=$1 name=$2
    shift 2
    (cd "$dir" && exec setsid "$@" </dev/null >>"$name.log" 2>&1) &
    echo $! >"$dir/$name.pid"
    disown
}

# controlplane_stop DIR NAME [SIGNAL [SECONDS]]: asks first, kills after SECONDS. Nothing to do is fine.
# (kube-apiserver keeps open watches for a minute after SIGTERM: nobody here wants to wait for that.)
controlplane_stop() {
    local dir=$1 name=$2 signal=${3:-TERM} seconds=${4:-3} pid i
    if pid=$(controlplane_pid "$dir" "$name"); then
        kill -s "$signal" "$pid" 2>/dev/null || true
        for ((i = 0; i < seconds * 20; i++)); do
            controlplane_pid "$dir" "$name" >/dev/null || break
            sleep 0.05
        done
        if controlplane_pid "$dir" "$name" >/dev/null; then
            kill -s KILL "$pid" 2>/dev/null || true
            for ((i = 0; i < 100; i++)); do
                controlplane_pid "$dir" "$name" >/dev/null || break
                sleep 0.05
            done
        fi
    fi
    rm -f "$dir/$name.pid"
}

controlplane_down() {
    controlplane_stop "$1" controller-manager
    controlplane_stop "$1" apiserver TERM 1
    controlplane_stop "$1" etcd
}

controlplane_start_etcd() { # DIR ASSETS
    local port client peer
    port=$(cat "$1/port")
    client=http://127.0.0.1:$((port + 1)) peer=http://127.0.0.1:$((port + 2))
    # Without fsync: the data need not outlive the machine.
    controlplane_start "$1" etcd "$2/etcd" --data-dir "$1/etcd" --listen-client-urls "$client" --advertise-client-urls "$client" \
        --listen-peer-urls "$peer" --initial-advertise-peer-urls "$peer" --initial-cluster "default=$peer" \
        --unsafe-no-fsync --log-level warn
}

# ServiceAccount would want every namespace's default account, TaintNodesByCondition taints every new node: nobody here
# makes the one or removes the other, as no controller of nodes and no kubelet runs.
controlplane_start_apiserver() { # DIR ASSETS
    local port pki=$1/pki
    port=$(cat "$1/port")
    controlplane_start "$1" apiserver "$2/kube-apiserver" --etcd-servers "http://127.0.0.1:$((port + 1))" \
        --secure-port "$port" --bind-address 127.0.0.1 --tls-cert-file "$pki/apiserver.crt" \
        --tls-private-key-file "$pki/apiserver.key" --client-ca-file "$pki/ca.crt" \
        --service-account-issuer "https://127.0.0.1:$port/" --service-account-key-file "$pki/sa.pub" \
        --service-account-signing-key-file "$pki/sa.key" --service-cluster-ip-range 10.0.0.0/24 --authorization-mode RBAC \
        --disable-admission-plugins ServiceAccount,TaintNodesByCondition --allow-privileged=true \
        --endpoint-reconciler-type none --profiling=false
}

# Controllers that make pods from workloads and clean up after them. Not those of nodes: without a kubelet every node would
# be tainted as not ready.
controlplane_start_controllers() { # DIR ASSETS
    local port
    port=$(cat "$1/port")
    controlplane_start "$1" controller-manager "$2/kube-controller-manager" --kubeconfig "$1/admin.kubeconfig" \
        --authentication-kubeconfig "$1/admin.kubeconfig" --authorization-kubeconfig "$1/admin.kubeconfig" \
        --bind-address 127.0.0.1 --secure-port $((port + 3)) --leader-elect=false \
        --service-account-private-key-file "$1/pki/sa.key" --root-ca-file "$1/pki/ca.crt" --controllers \
        deployment-controller,replicaset-controller,statefulset-controller,job-controller,namespace-controller,serviceaccount-controller,garbage-collector-controller
}

# controlplane_wait_ready DIR KUBECTL [SECONDS]: until /readyz says ok; fails at once when a process has ended.
controlplane_wait_ready() {
    local dir=$1 kubectl=$2 end=$((SECONDS + ${3:-60})) name
    while [ "$SECONDS" -lt "$end" ]; do
        [ "$("$kubectl" --kubeconfig "$dir/admin.kubeconfig" --request-timeout 5s get --raw /readyz 2>/dev/null)" != ok ] || return 0
        for name in etcd apiserver; do
            controlplane_pid "$dir" "$name" >/dev/null || return 1
        done
        sleep 0.1
    done
    return 1
}
