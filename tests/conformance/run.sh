#!/usr/bin/env bash
# Runs real clients and audits of other projects against the server's program, which it builds unless one is given:
#
#   tests/conformance/run.sh [PROGRAM]
#
# Needs Node 20 and npm. Leaves with 1 when anything failed, the server's own end included.
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
work="$(mktemp -d)"
server=""

finish() {
  if [ -n "$server" ]; then
    kill -KILL "$server" 2>/dev/null || true
    wait "$server" 2>/dev/null || true
  fi
  rm -rf "$work" || true
}
trap finish EXIT

program="${1:-}"
if [ -z "$program" ]; then
  program="$work/inlaygraph"
  (cd "$here/../.." && go build -o "$program" .)
fi
for project in http ws; do
  (cd "$here/$project" && npm ci --no-audit --no-fund --loglevel=error)
done

"$program" serve --listen 127.0.0.1:0 --demo-speed 4 2>"$work/stderr" &
server=$!
url=""
for _ in $(seq 200); do # 20 seconds
  url="$(sed -n '1s/^Inlay GraphQL serves //p' "$work/stderr")"
  if [ -n "$url" ] || ! kill -0 "$server" 2>/dev/null; then break; fi
  sleep 0.1
done
if [ -z "$url" ]; then
  echo "the server did not start:" >&2
  cat "$work/stderr" >&2
  exit 1
fi

failed=0
step() {
  echo "== $1"
  shift
  "$@" | tee -a "$work/said" || failed=1 # pipefail: as the step itself
}
step "graphql-http audits" node "$here/http/audits.mjs" "$url"
step "what GraphQL Cop looks for" bash -o pipefail -c 'cd "$1" && go test -count=1 -v -run "^TestKnownWeaknesses$" ./tests | grep -v "^=== "' _ "$here/../.."
step "graphql-ws and graphql-sse clients" node "$here/ws/suite.mjs" "$url" "$program"
step "the main job: two branches of a live run" node "$here/ws/watch.mjs" "$url" demo-fanout flights trains

kill -TERM "$server"
code=0
wait "$server" || code=$?
server=""
if [ "$code" -ne 0 ]; then
  echo "the server ended with $code:" >&2
  cat "$work/stderr" >&2
  failed=1
fi
awk '/^[0-9]+ passed, [0-9]+ failed$/ { passed += $1; failed += $3 } END { printf "figures: conformance: checks passed %d, failed %d\n", passed, failed }' "$work/said"
exit "$failed"
