#!/usr/bin/env bash
# All tests: with gcc as it is shipped, with clang's sanitizers, and end to end on a real control plane.
#
# usage: test/run.sh [--fast]
#   --fast   without the control plane: units, architecture, the API server in memory; under two minutes
#
# Installs the Debian packages that are missing, and builds the control plane once (5 to 10 minutes; needs Go 1.26 or
# KUBEBUILDER_ASSETS). The last line is "N passed, N failed, N skipped"; exit status 0 if none failed and some passed.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# shellcheck source=controlplane/lib.sh
. "$root/test/controlplane/lib.sh"
cd "$root"

fast=false
case ${1:-} in
'') ;;
--fast) fast=true ;;
*)
    sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p}' "${BASH_SOURCE[0]}" >&2
    exit 2 ;;
esac

passed=0 failed=0 skipped=0
say() { printf '\n== %s (%d s so far)\n' "$*" "$SECONDS"; }

# add NAME LOG: sums up the line "N passed, N failed[, N skipped]" that a suite has printed last.
add() {
    local line
    line=$(grep -E '^[0-9]+ passed, [0-9]+ failed' "$2" | tail -n 1)
    if [[ $line =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed(,\ ([0-9]+)\ skipped)? ]]; then
        passed=$((passed + BASH_REMATCH[1])) failed=$((failed + BASH_REMATCH[2])) skipped=$((skipped + ${BASH_REMATCH[4]:-0}))
    else
        echo "$1 ended without a result" >&2
        failed=$((failed + 1))
    fi
}

# suite NAME COMMAND...: runs it, shows what it prints, and counts its result.
suite() {
    local name=$1 log status=0
    shift
    log=$(mktemp)
    "$@" 2>&1 | tee "$log" || status=$?
    add "$name" "$log"
    [ "$status" = 0 ] || echo "$name: exit status $status" >&2
    rm -f "$log"
}

# ctest's own summary, in the form of the other suites.
run_ctest() { # PRESET
    local log status=0
    log=$(mktemp)
    ctest --preset "$1" >"$log" 2>&1 || status=$?
    grep -vE '^ +Start ' "$log" || true
    awk -v status="$status" '
        match($0, /[0-9]+ tests failed out of [0-9]+/) { split(substr($0, RSTART, RLENGTH), word, " "); failed = word[1]; total = word[6] }
        / (Passed|\*\*\*Skipped) / { if (/Skipped/) skipped++ }
        END {
            if (total == "" || (status != 0 && failed == 0)) failed++
            print total - failed - skipped " passed, " failed + 0 " failed, " skipped + 0 " skipped"
        }' "$log"
    rm -f "$log"
    return "$status"
}

build() { # PRESET
    say "building $1"
    cmake --preset "$1" >/dev/null
    cmake --build --preset "$1" -- --quiet
}

# A missing control plane is said before the long build.
"$fast" || controlplane_check
test/install-packages.sh --tests

build release
build asan
say "tests of the release build"
suite release run_ctest release
say "tests under AddressSanitizer, UndefinedBehaviorSanitizer and LeakSanitizer"
suite asan run_ctest asan
if ! "$fast"; then
    say "the control plane"
    controlplane_assets >/dev/null
    say "end to end"
    suite e2e test/e2e/run.sh --scheduler build/release/bin/latency-aware-scheduler
fi

printf '\n%d passed, %d failed, %d skipped\n' "$passed" "$failed" "$skipped"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
