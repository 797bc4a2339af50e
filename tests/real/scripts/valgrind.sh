#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# needs: valgrind
set -euo pipefail
for situation in works_with_thread thread_local_destructors growing_realloc; do
  status=0
  valgrind -q --trace-children=no "$SITUATIONS" "$situation" 2> errors || status=$?
  echo "status $status, errors $(grep -c 'Invalid' errors || true)"
done
