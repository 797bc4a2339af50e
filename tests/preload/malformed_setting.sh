#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# An unmodified program under settings that make no sense is not run: a message that names the
# variable, status 2.
set -euo pipefail

failed=0
for setting in MEMPROF_RATE=often MEMPROF_RATE=2 MEMPROF_SEED=x MEMPROF_NURSERY=-1 \
    MEMPROF_CALLSTACK=dwarf MEMPROF_CALLSTACK_DEPTH=4097 MEMPROF_GUARD=yes; do
  status=0
  output=$(env LD_PRELOAD="$MEMPROF_PRELOAD" "$setting" echo ran 2> message) || status=$?
  if [ "$status" != 2 ] || [ -n "$output" ] || ! grep -q "${setting%%=*}" message; then
    echo "$setting: status $status, output '$output', message '$(cat message)'"
    failed=1
  fi
done
exit "$failed"
