#!/usr/bin/env bash
# down.sh DIR: stop what up.sh started in DIR, the API server before etcd. The files stay. Nothing running is fine.
set -euo pipefail
# shellcheck source=lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
[ $# = 1 ] || { echo "usage: down.sh DIR" >&2; exit 2; }
[ -d "$1" ] || { echo "down.sh: there is no folder $1" >&2; exit 1; }
controlplane_down "$(cd "$1" && pwd)"
