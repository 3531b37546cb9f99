#!/usr/bin/env bash
# Runs the client examples against the server's program, which it builds unless INLAYGRAPH names one:
#
#   clients/test.sh [NAME]...     the reducer (js), graphql-ws, apollo, urql, relay, genqlient; all of them unless named
#
# For each: what is installed is what the lock file says, the generated code is what the schema makes it, it compiles, and its
# tests pass over real connections. Needs Node 20, npm and Go. Leaves with 1 when anything failed.
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
work="$(mktemp -d)"
trap 'wait; rm -rf "$work" || true' EXIT

names=("$@")
if [ $# -eq 0 ]; then names=(js graphql-ws apollo urql relay genqlient); fi
for name in "${names[@]}"; do
  if [ ! -f "$here/$name/package.json" ] && [ ! -f "$here/$name/go.mod" ] || [ "$name" = testing ]; then
    echo "there is no example $name" >&2
    exit 2
  fi
done
if [ "$(node -p 'Number(process.versions.node.split(".")[0]) >= 20' 2>/dev/null)" != true ]; then
  echo "Node 20 or newer is needed" >&2
  exit 2
fi

if [ -z "${INLAYGRAPH:-}" ]; then
  INLAYGRAPH="$work/inlaygraph"
  (cd "$here/.." && go build -o "$INLAYGRAPH" .)
fi
INLAYGRAPH="$(realpath "$INLAYGRAPH")"
export INLAYGRAPH

# prepare NAME: as the lock file and the schema have it, compiled. The JavaScript examples share the file that opens the socket.
prepare() {
  cd "$here/$1"
  case "$1" in
    js) ;;
    genqlient)
      cp generated.go "$work/generated.go" && go generate ./... || return
      if ! cmp generated.go "$work/generated.go"; then
        cp "$work/generated.go" generated.go
        echo "generated.go is not what genqlient makes of the schema: go generate ./..."
        return 1
      fi
      test -z "$(gofmt -l .)" && go vet ./... && go test -c -o "$work/genqlient.test" .
      ;;
    *)
      cmp src/socket.ts ../graphql-ws/src/socket.ts &&
        npm ci --no-audit --no-fund --loglevel=error &&
        npm run --silent fresh &&
        rm -rf dist && npm run --silent build
      ;;
  esac
}

# check NAME: its tests.
check() {
  cd "$here/$1"
  case "$1" in
    js) ./test.sh "$INLAYGRAPH" ;;
    genqlient) "$work/genqlient.test" -test.v ;;
    *) npm run --silent test ;;
  esac
}

# Tests wait more than they work: each runs while the next example is prepared.
running=()
for name in "${names[@]}"; do
  log="$work/$name.log"
  if (prepare "$name") >"$log" 2>&1; then
    (check "$name") >>"$log" 2>&1 &
    running+=($!)
  else
    running+=(0)
  fi
done

failed=0
for i in "${!names[@]}"; do
  name="${names[$i]}"
  log="$work/$name.log"
  verdict=FAIL
  if [ "${running[$i]}" -ne 0 ] && wait "${running[$i]}"; then verdict=ok; fi
  tests=$(sed -n 's/^\(#\|ℹ\) pass \([0-9]*\)$/\2/p; s/^--- PASS.*/1/p' "$log" | awk '{ n += $1 } END { print n + 0 }')
  if [ "$tests" -eq 0 ]; then verdict=FAIL; fi
  printf '%-4s %-10s %3d tests passed\n' "$verdict" "$name" "$tests"
  if [ "$verdict" = FAIL ]; then
    failed=$((failed + 1))
    tail -n 200 "$log" | sed 's/^/     /'
  fi
done
echo "$((${#names[@]} - failed)) of ${#names[@]} client examples pass, after $SECONDS s"
[ "$failed" -eq 0 ]
