#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# find_package(memprof) with and without components, with some that are not there, without zlib and without
# Boost.Context: what is found, and what is said.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
rm -rf build

# configure "ARGUMENTS OF find_package" [CMAKE ARGUMENTS]: what cmake says goes to the file `said`, in one
# line, because cmake wraps its messages.
configure() {
  local arguments=${1// /;} status=0
  shift
  "$CMAKE" --fresh -S "$here/components" -B build -DCMAKE_CXX_COMPILER="$CXX" \
    -DCMAKE_PREFIX_PATH="$MEMPROF_PREFIX" -DARGUMENTS="$arguments" "$@" > output 2>&1 || status=$?
  tr -s ' \n' ' ' < output > said
  return "$status"
}
expect() {
  if ! grep -qF -- "$1" said; then
    printf 'cmake does not say "%s", but:\n' "$1" >&2
    cat output >&2
    exit 1
  fi
}
refuse() {
  if configure "$@"; then
    echo "find_package(memprof $1) succeeds" >&2
    cat output >&2
    exit 1
  fi
}

configure "REQUIRED"
expect "found: core"
expect "found: memprof"
expect "found: trace"

configure "REQUIRED COMPONENTS trace core"
expect "found: core"
expect "found: trace"

refuse "REQUIRED COMPONENTS core wrong"
expect "memprof has no component 'wrong' here; installed are: core, memprof, trace"

configure "REQUIRED COMPONENTS core OPTIONAL_COMPONENTS wrong"
expect "memprof was found"

configure "QUIET COMPONENTS wrong"
expect "memprof was not found"

if [[ -n $(find "$MEMPROF_PREFIX" -name 'memprof-fiber-targets-*.cmake') ]]; then
  configure "REQUIRED COMPONENTS fiber"
  expect "found: fiber"
  without_boost=-DCMAKE_DISABLE_FIND_PACKAGE_Boost=ON
  refuse "REQUIRED COMPONENTS fiber" "$without_boost"
  expect "component fiber needs Boost.Context"
  configure "REQUIRED" "$without_boost"
  expect "found: core"
else
  refuse "REQUIRED COMPONENTS fiber"
  expect "memprof has no component 'fiber' here"
fi

if [[ -n $(find "$MEMPROF_PREFIX" -name 'memprof-serve-targets-*.cmake') ]]; then
  configure "REQUIRED COMPONENTS serve"
  expect "found: serve"
  refuse "REQUIRED COMPONENTS serve" -DCMAKE_DISABLE_FIND_PACKAGE_ZLIB=ON
  expect "component serve needs zlib"
else
  refuse "REQUIRED COMPONENTS serve"
  expect "memprof has no component 'serve' here"
fi
