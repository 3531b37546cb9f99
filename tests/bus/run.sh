#!/usr/bin/env bash
# Three servers on three NATS servers, and what breaks between them (doc.go). Needs Go alone. Linux or macOS.
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
ulimit -n "$(ulimit -Hn)" # a file for each viewer
work="$(mktemp -d)"
trap 'rm -rf "$work" || true' EXIT
(cd "$here/../.." && go build -o "$work/inlaygraph" . && go build -o "$work/bus" ./tests/bus)
cd "$here"
"$work/bus" --binary "$work/inlaygraph" "$@"
