#!/usr/bin/env bash
# Builds the page and GraphiQL into dist/, which the server's program embeds. The same sources give the same bytes:
#
#   inspector/build.sh
#
# Needs Node 20.19 or newer and npm. Prints how large the page is.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

for project in web playground; do
  (cd "$project" && npm ci --no-audit --no-fund --loglevel=error)
done
(cd web && npm run --silent types && npm test --silent && npm run --silent build)
(cd playground && npm run --silent build)

total=0
for file in dist/page/index.html dist/page/icon.svg dist/page/assets/*; do
  size=$(gzip -9 -n -c "$file" | wc -c)
  total=$((total + size))
  printf '%8d  %s\n' "$size" "$file"
done
printf '%8d  the page in all, gzipped\n' "$total"
if [ "$total" -gt $((200 * 1024)) ]; then
  echo "the page is over 200 KiB" >&2
  exit 1
fi
