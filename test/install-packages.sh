#!/usr/bin/env bash
# install-packages.sh [--tests]: install what is missing of packages.txt; with --tests also what only the tests need.
# Asks nothing and does nothing where all are there already.
set -euo pipefail
list=$(dirname "${BASH_SOURCE[0]}")/packages.txt
if [ "${1:-}" = --tests ]; then
    wanted=$(grep -v '^#' "$list")
else
    wanted=$(sed '/^# for test\/run.sh only/,$d; /^#/d' "$list")
fi
missing=()
for package in $wanted; do
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || missing+=("$package")
done
[ ${#missing[@]} -gt 0 ] || exit 0

as_root=()
if ! command -v apt-get >/dev/null; then
    echo "these Debian packages, or what they are called on this system, must be installed first: ${missing[*]}" >&2
    exit 1
elif [ "$(id -u)" != 0 ]; then
    if ! command -v sudo >/dev/null; then
        echo "not root, and there is no sudo; install these as root: apt-get install ${missing[*]}" >&2
        exit 1
    fi
    as_root=(sudo)
fi
echo "installing Debian packages: ${missing[*]}" >&2
log=$(mktemp)
trap 'rm -f "$log"' EXIT
apt() { "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=300 "$@" >"$log" 2>&1; }
if ! { apt update && apt install --no-install-recommends "${missing[@]}"; }; then
    cat "$log" >&2
    echo "the packages could not be installed" >&2
    exit 1
fi
