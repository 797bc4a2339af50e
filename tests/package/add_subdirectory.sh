#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# usage: add_subdirectory.sh [CMAKE ARGUMENTS]
#
# Builds the consumer with memprof's sources as a part of it, and runs it.
set -euo pipefail
here=$(dirname "$0")

rm -rf build
"$CMAKE" -S "$here/consumer" -B build -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_COMPILER="$CXX" \
  -DCMAKE_UNITY_BUILD=ON \
  -DMEMPROF_SOURCE="$MEMPROF_SOURCE" "$@"
"$CMAKE" --build build --parallel 2
build/program
build/core_only
[[ ! -e build/pausing ]] || build/pausing
if "${CMAKE%cmake}ctest" --test-dir build -N | grep -v -E ': (program|static_program|core_only|pausing|served)$' |
  grep -E 'Test +#'; then
  echo "memprof added tests of its own to the consumer's" >&2
  exit 1
fi
