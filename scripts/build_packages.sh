#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# usage: build_packages.sh [DIRECTORY]
#
# Builds the Debian packages libmemprof0, libmemprof-dev and memprof, and puts them into DIRECTORY
# (build/packages), with their debug information beside them (*-dbgsym, as .ddeb). The libraries are
# compiled twice, for the archives and for the shared ones. Wants what `install_dependencies.sh build`
# installs, dpkg-dev and file; CXX names another compiler.
set -euo pipefail
source=$(cd "$(dirname "$0")/.." && pwd)
directory=${1:-$source/build/packages}
mkdir -p "$directory"
directory=$(cd "$directory" && pwd)

for program in cmake cpack dpkg-shlibdeps file; do
  if ! command -v "$program" >/dev/null; then
    echo "$0: $program is not there: apt-get install cmake dpkg-dev file" >&2
    exit 1
  fi
done

configure() {
  local build=$1
  shift
  cmake -S "$source" -B "$directory/$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_UNITY_BUILD=ON \
    -DCMAKE_CXX_FLAGS_RELEASE="-O3 -DNDEBUG -g -ffile-prefix-map=$source=/usr/src/memprof" \
    -DCMAKE_INSTALL_PREFIX=/usr -DMEMPROF_BUILD_TESTS=OFF -DMEMPROF_BUILD_EXAMPLES=OFF "$@"
}

configure shared -DBUILD_SHARED_LIBS=ON -DMEMPROF_BUILD_TOOLS=OFF -DMEMPROF_BUILD_PRELOAD=OFF
cmake --build "$directory/shared"
# Without one of its dependencies there would be no command: this says so.
configure static -DBUILD_SHARED_LIBS=OFF -DMEMPROF_BUILD_TOOLS=ON -DMEMPROF_BUILD_PRELOAD=ON \
  -DMEMPROF_SHARED_BUILD="$directory/shared"
cmake --build "$directory/static"

rm -f "$directory"/*.deb "$directory"/*.ddeb
cd "$directory/static"
cpack -G DEB -B "$directory/cpack"
mv "$directory"/cpack/*.deb "$directory"/cpack/*.ddeb "$directory"
rm -r "$directory/cpack"
ls -l "$directory"/*.deb "$directory"/*.ddeb
