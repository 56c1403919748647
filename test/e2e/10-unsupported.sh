#!/usr/bin/env bash
# transports: http
# What a pod may ask for that is not built yet: it waits, with a reason that names it. It is never bound as if it had not asked.
. "$(dirname "$0")/lib.sh"

node a '{"metadata":{"labels":{"topology.kubernetes.io/zone":"z1"}}}' && node_latency a "$(rtt 20)"
scheduler_start

labels='"metadata":{"labels":{"app":"x"}}' selector='"labelSelector":{"matchLabels":{"app":"x"}}'
pod pvc '{"spec":{"volumes":[{"name":"data","persistentVolumeClaim":{"claimName":"data"}}]}}'
pod anti "{$labels,\"spec\":{\"affinity\":{\"podAntiAffinity\":{\"requiredDuringSchedulingIgnoredDuringExecution\":[
    {\"topologyKey\":\"kubernetes.io/hostname\",$selector}]}}}}"
pod together "{$labels,\"spec\":{\"affinity\":{\"podAffinity\":{\"requiredDuringSchedulingIgnoredDuringExecution\":[
    {\"topologyKey\":\"kubernetes.io/hostname\",$selector}]}}}}"
pod spread "{$labels,\"spec\":{\"topologySpreadConstraints\":[
    {\"maxSkew\":1,\"topologyKey\":\"topology.kubernetes.io/zone\",\"whenUnsatisfiable\":\"DoNotSchedule\",$selector}]}}"
pod claim '{"spec":{"resourceClaims":[{"name":"nic","resourceClaimName":"nic"}]}}'
pod numa "$(annotated latency-target-us 50 /numa NICLocal)"
pod fallback "$(annotated latency-target-us 50 /fallback BestAvailable)"
pod several "$(annotated /targets-us ny4=50,fra2=3000)"

expect_waiting pvc "does not decide yet" "persistentVolumeClaim"
expect_waiting anti "does not decide yet" "podAntiAffinity"
expect_waiting together "does not decide yet" "podAffinity"
expect_waiting spread "does not decide yet" "topologySpreadConstraints"
expect_waiting claim "does not decide yet" "resourceClaims"
expect_waiting numa "does not decide yet" "nodelatency.dev/numa"
expect_waiting fallback "does not decide yet" "nodelatency.dev/fallback"
expect_waiting several "does not decide yet" "nodelatency.dev/targets-us"

# Preferences are no demands.
pod prefers "{$labels,\"spec\":{\"topologySpreadConstraints\":[
    {\"maxSkew\":1,\"topologyKey\":\"topology.kubernetes.io/zone\",\"whenUnsatisfiable\":\"ScheduleAnyway\",$selector}],
    \"volumes\":[{\"name\":\"scratch\",\"emptyDir\":{}}]}}"
expect_on prefers "$X-a"
# A pod that is gated is not looked at until the gate is gone.
pod gated '{"spec":{"schedulingGates":[{"name":"example.org/wait"}]}}'
pod after-it
expect_on after-it "$X-a"
assert_equal "node of the gated pod" '' "$(pod_node gated)"
kn patch pod gated --type json -p '[{"op":"remove","path":"/spec/schedulingGates"}]' >/dev/null
expect_on gated "$X-a"
scheduler_stop
