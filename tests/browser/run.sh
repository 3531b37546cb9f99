#!/usr/bin/env bash
# Looks at the page in Chromium, against the server's program, which is built unless one is given:
#
#   tests/browser/run.sh [PROGRAM]
#
# Needs Node 20, npm, and Chromium at /usr/bin/chromium or where CHROMIUM says. Pictures go to tests/output/browser.
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
work="$(mktemp -d)"
trap 'rm -rf "$work" || true' EXIT

program="$(realpath "${1:-$work/inlaygraph}")"
if [ $# -eq 0 ]; then
  (cd "$here/../.." && go build -o "$program" .)
fi
cd "$here"
npm ci --no-audit --no-fund --loglevel=error
INLAYGRAPH="$program" node --test --test-concurrency=1 --test-reporter=spec cases/
