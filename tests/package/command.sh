#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# The installed command, found by its name alone: it must find its preload library, its HTTP server and
# its page where they were installed. Its manual pages and completions lie where others look for them.
set -euo pipefail
PATH=$MEMPROF_PREFIX/bin:$PATH

if [[ $(memprof --version) != *"$MEMPROF_VERSION"* ]]; then
  echo "memprof --version says $(memprof --version), not $MEMPROF_VERSION" >&2
  exit 1
fi
for file in man/man1/memprof.1 man/man1/memprof-top.1 bash-completion/completions/memprof \
  fish/vendor_completions.d/memprof.fish; do
  if [[ ! -s $MEMPROF_PREFIX/share/$file ]]; then
    echo "share/$file is not installed" >&2
    exit 1
  fi
done
compgen -G "$MEMPROF_PREFIX/share/zsh/*/_memprof" > /dev/null

memprof record --force --quiet --rate 1e-3 -o sort.ctf -- sort -o sorted "$MEMPROF_SOURCE/README.md"
cmp sorted <(sort "$MEMPROF_SOURCE/README.md")

rm -f said  # of an earlier run
memprof serve sort.ctf > said &
server=$!
trap 'kill "$server" 2>/dev/null || true' EXIT
url=
for _ in $(seq 100); do
  url=$(grep -o 'http://[^ ]*' said || true)
  if [[ -n $url ]]; then break; fi
  sleep 0.1
done
# Into a file, not a pipe: grep -q leaves at its first match, and who still writes then fails.
fetch() {
  python3 -c 'import sys, urllib.request
print(urllib.request.urlopen(sys.argv[1], timeout=20).read().decode())' "$url$1" > "$2"
}
fetch api/trace trace.json
grep -q '"sort"\|/sort"' trace.json
fetch '' page.html
case $MEMPROF_HAS_PAGE in
  true) grep -q '<html' page.html ;;
  false) grep -q 'built without the page' page.html ;;
  *) grep -q '<html\|built without the page' page.html ;;  # not known
esac
kill -TERM "$server"
wait "$server"
