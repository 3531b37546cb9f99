#!/usr/bin/env bash
# Installs and starts a LangGraph server over scripted models, and runs the end-to-end tests of docs/langgraph.md in front
# of it:
#
#   tests/langgraph/run.sh [ARGUMENTS OF go test]
#
# Needs Go, Node 20 and npm. The server listens on loopback alone and sends nothing anywhere.
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
log="$(mktemp)"
server=""

finish() {
  if [ -n "$server" ]; then
    kill -TERM -- "-$server" 2>/dev/null || true
    wait "$server" 2>/dev/null || true
    for _ in $(seq 50); do # what npm started writes until it has ended, 10 seconds at most
      kill -0 -- "-$server" 2>/dev/null || break
      sleep 0.2
    done
    kill -KILL -- "-$server" 2>/dev/null || true
  fi
  rm -rf "$log" "$here/server/.langgraph_api" || true # the next run begins with that too
}
trap finish EXIT

(cd "$here/server" && npm ci --no-audit --no-fund --loglevel=error)
rm -rf "$here/server/.langgraph_api" # what a server before this one remembered

port="$(node -e 'const s = require("node:net").createServer().listen(0, "127.0.0.1", () => { console.log(s.address().port); s.close(); })')"
set -m # the server gets a process group of its own, so that all of it can be ended
(cd "$here/server" && PORT="$port" exec npm start) >"$log" 2>&1 &
server=$!
set +m
url="http://127.0.0.1:$port"
up=0
for _ in $(seq 300); do # 60 seconds
  if node -e "fetch(process.argv[1]).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))" "$url/ok"; then up=1; break; fi
  if ! kill -0 "$server" 2>/dev/null; then break; fi
  sleep 0.2
done
if [ "$up" -ne 1 ]; then
  echo "the LangGraph server did not start:" >&2
  cat "$log" >&2
  exit 1
fi

cd "$here/../.."
code=0
INLAY_LANGGRAPH_URL="$url" go test -count=1 -timeout 10m -tags langgraph ./tests/langgraph/... "$@" || code=$?
if [ "$code" -ne 0 ]; then
  echo "the end of what the LangGraph server said:" >&2
  tail -n 50 "$log" >&2
fi
exit "$code"
