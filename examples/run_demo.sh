#!/bin/sh
# SPDX-License-Identifier: MIT
#
# run_demo.sh BUILD_DIR: runs the examples on the data that belong to them.
# Exit status: 0 if all did what they should, 1 if not, 2 for wrong usage.
set -u

if [ $# -ne 1 ] || [ ! -d "$1/examples" ]; then
  echo "usage: $0 BUILD_DIR, one in which the examples were built" >&2
  exit 2
fi
programs=$1/examples
sources=$(dirname -- "$0")
failed=0

# demo HEADING COMMAND...
demo() {
  printf '\n=== %s ===\n' "$1"
  shift
  printf '$ %s\n\n' "$*"
  "$@"
  status=$?
  if [ "$status" -ne 0 ]; then
    printf 'FAILED with exit status %s\n' "$status"
    failed=1
  fi
}

demo "1. GiNaC: expressions that explode, each under an allocation limit" \
  "$programs/memprof-example-expand" "$sources/data/expressions.txt"
demo "2. nlohmann-json: worker threads and two bombs under a global memory limit" \
  "$programs/memprof-example-json" "$programs/documents"
demo "3. cpp-httplib: good and runaway requests together, cancelling, /metrics" \
  python3 "$sources/server/client.py" "$programs/memprof-example-server"
# A component: not built where Boost.Context is missing.
if [ -x "$programs/memprof-example-fair_scheduler" ]; then
  demo "4. GiNaC: three jobs share a thread by work done" \
    "$programs/memprof-example-fair_scheduler"
fi

# The command is built where its libraries are found.
if [ -x "$1/bin/memprof" ]; then
  traces=$(mktemp -d) || exit 1
  trap 'rm -rf "$traces"' EXIT
  demo "5. A server that grows: traced, and what it still holds at the end" \
    "$1/bin/memprof" record -o "$traces/leaky.ctf" --rate 1e-4 -- "$programs/memprof-example-leaky_server"
  demo "   ... by function" \
    "$1/bin/memprof" top --live-at-end --hide std:: -n 3 "$traces/leaky.ctf"
fi

printf '\n'
if [ "$failed" -eq 0 ]; then echo "all examples did what they should"; else echo "SOME EXAMPLES FAILED"; fi
exit "$failed"
