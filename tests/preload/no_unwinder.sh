#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# libunwind.so would replace the unwinder of the whole program, and make its throws nine times dearer:
# neither the library nor anything it loads brings it in.
set -euo pipefail

if readelf -d "$MEMPROF_PRELOAD" | grep NEEDED | grep -i unwind; then
  echo "needed by $MEMPROF_PRELOAD"
  exit 1
fi
maps=$(LD_PRELOAD="$MEMPROF_PRELOAD" MEMPROF_RATE=0.01 cat /proc/self/maps)
if ! grep -q memprof-preload <<<"$maps"; then
  echo "not loaded"
  exit 1
fi
if grep -i unwind <<<"$maps"; then
  echo "loaded with $MEMPROF_PRELOAD"
  exit 1
fi
