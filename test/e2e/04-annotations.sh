#!/usr/bin/env bash
# transports: http
# timeout: 180
# Each malformed annotation of the contract: not bound, condition and event say what is wrong; tried again once corrected.
. "$(dirname "$0")/lib.sh"

node a && node_latency a "$(rtt 20)"
scheduler_start

# pod name | annotations (key value ...) | text that must be in the reason and in the event
decimal="must be a decimal integer from 1 to 60000000, got"
digits="must be digits only with no unit, sign, blank or leading zero, got"
pairs="must be a comma-separated list of unique name=microseconds pairs, got"
cases=(
    "exponent|latency-target-us 1e+06|annotation latency-target-us: $decimal '1e+06'; in Helm convert with \`int64\` before quoting"
    "zero|latency-target-us 0|annotation latency-target-us: $decimal '0'"
    "negative|latency-target-us -5|annotation latency-target-us: $decimal '-5'"
    "too-large|latency-target-us 70000000|annotation latency-target-us: $decimal '70000000'"
    "unit|latency-target-us 50us|annotation latency-target-us: $digits '50us'"
    "blank|latency-target-us _50|annotation latency-target-us: $digits ' 50'"
    "leading-zero|latency-target-us 050|annotation latency-target-us: $digits '050'"
    "decimals|latency-target-us 50.0|annotation latency-target-us: $digits '50.0'"
    "prefixed|/target-us 50ms|annotation nodelatency.dev/target-us: $digits '50ms'"
    "differ|latency-target-us 50 /target-us 60|annotation latency-target-us: must be equal to"
    "both|latency-target-us 50 /targets-us ny4=50|may not be set together with"
    "twice|/targets-us ny4=50,ny4=60|annotation nodelatency.dev/targets-us: $pairs 'ny4=50,ny4=60'"
    "no-value|/targets-us ny4|annotation nodelatency.dev/targets-us: $pairs 'ny4'"
    "comma|/targets-us ny4=50,|annotation nodelatency.dev/targets-us: $pairs 'ny4=50,'"
    "percentile|latency-target-us 50 /percentile P99|annotation nodelatency.dev/percentile: "
    "bandwidth|latency-target-us 50 /bandwidth-mbps 1G|annotation nodelatency.dev/bandwidth-mbps: "
    "target-dc|latency-target-us 50 /target-dc NY4|annotation nodelatency.dev/target-dc: "
    "max-age|latency-target-us 50 /max-age-seconds 0|annotation nodelatency.dev/max-age-seconds: "
    "two-errors|latency-target-us 5us /percentile p98|annotation nodelatency.dev/percentile: "
)
for case in "${cases[@]}"; do
    IFS='|' read -r name annotations _ <<<"$case"
    read -ra words <<<"$annotations"
    pod "$name" "$(annotated "${words[@]/#_/ }")" # a leading _ stands for a blank
done
for case in "${cases[@]}"; do
    IFS='|' read -r name _ text <<<"$case"
    expect_waiting "$name" "SchedulerError: " "$text"
    expect_event "$name" InvalidLatencyAnnotation Warning "$text"
done
# All errors are told, not the first alone.
expect_waiting two-errors "annotation latency-target-us: $digits '5us'" "annotation nodelatency.dev/percentile: "

# A value that is too long is refused unread, and not repeated in full.
pod long "$(target "$(printf '%01200d' 7)")"
expect_waiting long "SchedulerError: annotation latency-target-us: "
[ "$(pod_reason long | wc -c)" -lt 1100 ] || fail "the reason repeats the whole value of 1200 bytes"

# Tried again when corrected, and only that one.
kn annotate pod unit latency-target-us=50 --overwrite >/dev/null
expect_on unit "$X-a"
assert_equal "node of pod zero" '' "$(pod_node zero)"

# Not errors: a key that does nothing, a key of no known name, a target that nobody reports.
pod typo "$(annotated latency-target-us 50 /target-cd ny4)"
expect_on typo "$X-a"
expect_event typo UnknownAnnotation Warning nodelatency.dev/target-cd
pod no-target "$(annotated /target-dc ny4)"
expect_on no-target "$X-a"
expect_event no-target AnnotationIgnored Warning nodelatency.dev/target-dc
pod elsewhere "$(annotated latency-target-us 50 /target-dc fra2)"
expect_waiting elsewhere "Unschedulable: 0/1 nodes are available: " "fra2" "ny4"

# A number that is not quoted never comes so far: the API server refuses it.
refusal=$(pod_json unquoted "$(target 50)" | sed 's/"latency-target-us":"50"/"latency-target-us":50/' | kn create --validate=false -f - 2>&1) &&
    fail "the API server took an annotation that is a number"
assert_contains "the API server's refusal of an unquoted number" "$refusal" "cannot unmarshal number" "annotations of type string"
scheduler_stop
