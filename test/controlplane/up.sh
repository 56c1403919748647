#!/usr/bin/env bash
# up.sh [--port PORT] [--controller-manager] DIR: start etcd and kube-apiserver on 127.0.0.1 with all their files in DIR.
# Ready in about 3 seconds. RBAC is on. PORT is the API server's, the three after it are taken too; default: free ones.
# A control plane that was in DIR before goes on with its data and its port; what is left of a failed start is stopped.
# Leaves in DIR:
#   admin.kubeconfig            group system:masters
#   scheduler.kubeconfig        our scheduler: the ServiceAccount of crd/rbac.yaml, which gives it its only rights
#   kube-scheduler.kubeconfig   the peer, user system:kube-scheduler
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"

port='' controllers=false
while [ $# -gt 1 ]; do
    case $1 in
    --port) port=$2; shift 2 ;;
    --controller-manager) controllers=true; shift ;;
    *) break ;;
    esac
done
if [ $# != 1 ] || [[ $1 == -* ]]; then
    echo "usage: up.sh [--port PORT] [--controller-manager] DIR" >&2
    exit 2
fi
mkdir -p "$1/pki"
dir=$(cd "$1" && pwd)

key() { openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out "$dir/pki/$1.key" 2>/dev/null; }
certificate() { # NAME SUBJECT EXTENSIONS
    key "$1"
    openssl req -new -key "$dir/pki/$1.key" -subj "$2" |
        openssl x509 -req -CA "$dir/pki/ca.crt" -CAkey "$dir/pki/ca.key" -CAcreateserial -days 7 -extfile <(echo "$3") \
            -out "$dir/pki/$1.crt" 2>/dev/null
}
make_pki() {
    local account=system:serviceaccounts
    key ca
    openssl req -x509 -new -key "$dir/pki/ca.key" -subj /CN=test-ca -days 7 -out "$dir/pki/ca.crt"
    key sa
    openssl pkey -in "$dir/pki/sa.key" -pubout -out "$dir/pki/sa.pub"
    certificate apiserver /CN=kube-apiserver "subjectAltName=IP:127.0.0.1,IP:10.0.0.1,DNS:localhost,DNS:kubernetes.default.svc"
    certificate admin /O=system:masters/CN=admin extendedKeyUsage=clientAuth
    certificate kube-scheduler /CN=system:kube-scheduler extendedKeyUsage=clientAuth
    # Name and groups as the token of a pod with this ServiceAccount would give them.
    certificate scheduler "/O=$account/O=$account:kube-system/CN=system:serviceaccount:kube-system:latency-aware-scheduler" \
        extendedKeyUsage=clientAuth
    touch "$dir/pki/complete"
}
kubeconfig() { # NAME
    cat >"$dir/$1.kubeconfig" <<YAML
apiVersion: v1
kind: Config
clusters: [{name: local, cluster: {server: "https://127.0.0.1:$port", certificate-authority: "$dir/pki/ca.crt"}}]
users: [{name: "$1", user: {client-certificate: "$dir/pki/$1.crt", client-key: "$dir/pki/$1.key"}}]
contexts: [{name: local, context: {cluster: local, user: "$1"}}]
current-context: local
YAML
}

controlplane_check
assets=$(controlplane_assets)
kubectl=$(controlplane_kubectl)
controlplane_down "$dir"
[ -e "$dir/pki/complete" ] || (umask 077 && make_pki)

# A port that is chosen here may be gone before it is used: then another one. One that is given or known is not changed.
attempts=1
if [ -z "$port" ]; then
    if [ -s "$dir/port" ]; then port=$(cat "$dir/port"); else attempts=5; fi
fi
for ((attempt = 1; attempt <= attempts; attempt++)); do
    [ "$attempts" = 1 ] || port=$(controlplane_free_port 4)
    echo "$port" >"$dir/port"
    for user in admin kube-scheduler scheduler; do
        kubeconfig "$user"
    done
    rm -f "$dir"/*.log
    controlplane_start_etcd "$dir" "$assets"
    controlplane_start_apiserver "$dir" "$assets"
    if controlplane_wait_ready "$dir" "$kubectl"; then
        ! "$controllers" || controlplane_start_controllers "$dir" "$assets"
        exit 0
    fi
    controlplane_down "$dir"
    # The data folder remembers the peer port.
    [ "$attempts" = 1 ] || rm -rf "$dir/etcd"
    grep -q 'address already in use' "$dir/etcd.log" "$dir/apiserver.log" || break
done
[ "$attempts" = 1 ] || rm -f "$dir/port"
echo "the control plane did not become ready; the last lines of its logs:" >&2
tail -n 5 "$dir/etcd.log" "$dir/apiserver.log" >&2
exit 1
