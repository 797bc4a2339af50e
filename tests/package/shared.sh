#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# usage: shared.sh [CMAKE ARGUMENTS]
#
# memprof as shared libraries, in an absolute library directory: built, installed, and consumed with
# find_package, by a program that hides its own symbols, and with pkg-config.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)

rm -rf memprof prefix
MEMPROF_PREFIX=$PWD/prefix
export MEMPROF_PREFIX
"$CMAKE" -S "$MEMPROF_SOURCE" -B memprof -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_COMPILER="$CXX" \
  -DBUILD_SHARED_LIBS=ON -DCMAKE_UNITY_BUILD=ON -DMEMPROF_BUILD_TESTS=OFF -DMEMPROF_BUILD_EXAMPLES=OFF \
  -DCMAKE_INSTALL_PREFIX="$MEMPROF_PREFIX" -DCMAKE_INSTALL_LIBDIR="$MEMPROF_PREFIX/lib/absolute" "$@"
"$CMAKE" --build memprof --parallel 2
"$CMAKE" --install memprof
[[ -e prefix/lib/absolute/libmemprof.so.${MEMPROF_VERSION%.*} ]]

python3 "$here/exports.py" prefix/lib/absolute
bash "$here/find_package.sh" -Dmemprof_DIR="$MEMPROF_PREFIX/lib/absolute/cmake/memprof" \
  -DCMAKE_CXX_VISIBILITY_PRESET=hidden -DCMAKE_VISIBILITY_INLINES_HIDDEN=ON
bash "$here/pkg_config.sh"
