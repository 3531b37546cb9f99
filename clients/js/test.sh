#!/usr/bin/env bash
# Checks the reducer: its types, its tests, and the README's example against the server's program, which is built unless one
# is given:
#
#   clients/js/test.sh [PROGRAM]
#
# Needs Node 20 and npm; the reducer itself needs neither.
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT

program="$(realpath "${1:-$work/inlaygraph}")"
if [ $# -eq 0 ]; then
  (cd "$here/../.." && go build -o "$program" .)
fi
cd "$here"
npm ci --no-audit --no-fund --loglevel=error
npm run --silent types
npm run --silent test
INLAYGRAPH="$program" npm run --silent test:server
