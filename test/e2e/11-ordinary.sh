#!/usr/bin/env bash
# transports: http
# The ordinary rules, with kube-scheduler's texts: taints, affinity, node name, ports, resources, cordoned nodes; and that a
# pod that waits is bound when what refused it changes.
. "$(dirname "$0")/lib.sh"

node big '{"metadata":{"labels":{"zone":"east","cores":"64"}}}'
node tainted '{"metadata":{"labels":{"zone":"west","cores":"16"}},"spec":{"taints":[{"key":"team","value":"fx","effect":"NoSchedule"}]}}'
node small '{"metadata":{"labels":{"zone":"north"}},"status":{"allocatable":{"cpu":"300m","memory":"1Gi","pods":"2"}}}'
node cordoned '{"metadata":{"labels":{"zone":"south"}},"spec":{"unschedulable":true}}'
scheduler_start

in_zone() { printf '{"spec":{"nodeSelector":{"zone":"%s"}}}' "$1"; }
affinity() { jq -nc --argjson term "$1" '{spec: {affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [$term]}}}}}'; }
cpu() { printf '{"spec":{"containers":[{"name":"main","image":"main","resources":{"requests":{"cpu":"%s"}}}]}}' "$1"; }
mismatch="node(s) didn't match Pod's node affinity/selector"

pod west "$(in_zone west)"
expect_waiting west "Unschedulable: 0/4 nodes are available: " "1 node(s) had untolerated taint(s)" "2 $mismatch" "1 node(s) were unschedulable"
pod tolerates "$(merged "$(in_zone west)" '{"spec":{"tolerations":[{"key":"team","operator":"Equal","value":"fx","effect":"NoSchedule"}]}}')"
expect_on tolerates "$X-tainted"
pod greater "$(affinity '{"matchExpressions":[{"key":"cores","operator":"Gt","values":["32"]}]}')"
expect_on greater "$X-big"
pod not-in "$(affinity '{"matchExpressions":[{"key":"zone","operator":"NotIn","values":["east","west"]},{"key":"zone","operator":"Exists"}]}')"
expect_on not-in "$X-small"
pod by-field "$(affinity "{\"matchFields\":[{\"key\":\"metadata.name\",\"operator\":\"In\",\"values\":[\"$X-big\"]}]}")"
expect_on by-field "$X-big"
pod nowhere "$(in_zone moon)"
expect_waiting nowhere "2 $mismatch" "1 node(s) had untolerated taint(s)" "1 node(s) were unschedulable"

port='{"spec":{"nodeSelector":{"zone":"east"},"containers":[{"name":"main","image":"main","ports":[{"containerPort":80,"hostPort":8080}]}]}}'
pod port-1 "$port"
expect_on port-1 "$X-big"
pod port-2 "$port"
expect_waiting port-2 "1 node(s) didn't have free ports for the requested pod ports"
delete_pod port-1
expect_on port-2 "$X-big"

# 100m of 300m and one of two pods are taken on the small node.
pod cpu "$(merged "$(in_zone north)" "$(cpu 250m)")"
expect_waiting cpu "1 Insufficient cpu"
pod fits "$(in_zone north)"
expect_on fits "$X-small"
pod third "$(in_zone north)"
expect_waiting third "1 Too many pods"
delete_pod not-in
expect_on third "$X-small"
pod memory "$(merged "$(in_zone east)" '{"spec":{"containers":[{"name":"main","image":"main","resources":{"requests":{"memory":"64Gi"}}}]}}')"
expect_waiting memory "1 Insufficient memory"

# What refused a pod changes: it is bound, without waiting for a timer.
begin=$(now_ms)
k taint node "$X-tainted" team- >/dev/null
expect_on west "$X-tainted"
note "measured: from removing a taint to the bound pod being seen: $(($(now_ms) - begin)) ms"
pod south "$(in_zone south)"
expect_waiting south "1 node(s) were unschedulable"
k uncordon "$X-cordoned" >/dev/null
expect_on south "$X-cordoned"
node moon '{"metadata":{"labels":{"zone":"moon"}}}'
expect_on nowhere "$X-moon"

# Over the resources of no node, whatever the number of pods: 8 processors, pods of one each.
for i in $(seq 12); do pod_json "one-$i" "$(merged '{"metadata":{"labels":{"set":"one"}}}' "$(in_zone moon)" "$(cpu 1)")"; done | kn create -f - >/dev/null
count_bound() { kn get pods -l set=one -o json | jq '[.items[] | select(.spec.nodeName)] | length'; }
all_judged() {
    kn get pods -l set=one -o json |
        jq -e 'all(.items[]; .spec.nodeName or any(.status.conditions[]?; .type == "PodScheduled" and .status == "False"))'
}
wait_for "$patience" "12 pods judged" all_judged
assert_equal "pods of one processor beside one of 100m on a node of 8" 7 "$(count_bound)"
scheduler_stop
