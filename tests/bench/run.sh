#!/usr/bin/env bash
# Measures the real server beside stock gqlgen, graphql-yoga and a bare broadcast, and prints what came of each goal:
#
#   tests/bench/run.sh [--arms bare,stock,yoga] [full|quick|smoke] [ROW]…
#
# Without rows all of them. Needs Go, and for yoga Node 20 and npm. Linux.
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
arms="bare,stock,yoga"
if [ "${1:-}" = "--arms" ]; then
  arms="${2:?--arms needs names}"
  shift 2
fi
[ $# -gt 0 ] || set -- quick

ulimit -n "$(ulimit -Hn)" # a file for each viewer
case ",$arms," in
*,yoga,*) (cd "$here/yoga" && npm ci --no-audit --no-fund --loglevel=error >&2) ;;
esac
work="$(mktemp -d)"
trap 'rm -rf "$work" || true' EXIT
(cd "$here" && go build -o "$work/bench" .)
echo "$(date -u +%F), $(uname -sr), $(nproc) × $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1), $(go version | cut -d ' ' -f 3), load $(cut -d ' ' -f 1-3 /proc/loadavg)"
"$work/bench" --arms "$arms" "$@"
