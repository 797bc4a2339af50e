#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# usage: find_package.sh [CMAKE ARGUMENTS]
#
# Builds the consumer against the installed memprof with find_package, and runs it.
set -euo pipefail
here=$(dirname "$0")

# The installed files must do without the source tree. (They may be installed below it, as here.)
if grep -rIhF "$MEMPROF_SOURCE" "$MEMPROF_PREFIX" --include='*.cmake' --include='*.pc' --include='*.hpp' |
  sed "s|$MEMPROF_PREFIX||g" | grep -F "$MEMPROF_SOURCE"; then
  echo "these lines of installed files mention the source directory" >&2
  exit 1
fi

rm -rf build
"$CMAKE" -S "$here/consumer" -B build -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_COMPILER="$CXX" \
  -DCMAKE_PREFIX_PATH="$MEMPROF_PREFIX" "$@"
"$CMAKE" --build build
build/program
build/core_only
# Where both kinds of libraries are installed, the shared ones are taken, and there is no memprof::static.
if [[ -z $(find "$MEMPROF_PREFIX" -name libmemprof.so) ]]; then build/static_program; fi
# With the component installed it must have been found.
if [[ -n $(find "$MEMPROF_PREFIX" -name 'memprof-fiber-targets-*.cmake') ]]; then build/pausing; fi
if [[ -n $(find "$MEMPROF_PREFIX" -name 'memprof-serve-targets-*.cmake') ]]; then build/served; fi

if ! grep -q "^memprof_DIR:[A-Z]*=$MEMPROF_PREFIX/" build/CMakeCache.txt; then
  echo "the consumer found another memprof than the one in $MEMPROF_PREFIX" >&2
  exit 1
fi
