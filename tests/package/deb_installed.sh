#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# usage: deb_installed.sh DIRECTORY
#
# Installs the packages in DIRECTORY into this system, uses them, and purges them. For a system that may be
# thrown away: as root, in a chroot or a container, with apt's lists loaded. CXX is the compiler (g++).
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
packages=$(cd "$1" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

if [[ $(id -u) -ne 0 ]]; then
  echo "$0: only root can install packages" >&2
  exit 2
fi
for name in libmemprof0 libmemprof-dev memprof; do
  if dpkg-query -W "$name" >/dev/null 2>&1; then
    echo "$0: $name is installed already" >&2
    exit 2
  fi
done

export DEBIAN_FRONTEND=noninteractive
apt-get -q -y install --no-install-recommends "$packages"/*.deb cmake make pkg-config python3 "${CXX:-g++}"
for deb in "$packages"/*.deb; do dpkg-deb -c "$deb" | awk '$1 !~ /^d/ {print substr($6, 2)}'; done > files
while read -r file; do [[ -e $file ]]; done < files

MEMPROF_SOURCE=$(cd "$here/../.." && pwd)
MEMPROF_PREFIX=/usr
MEMPROF_VERSION=$(dpkg-query -W -f '${Version}' memprof)
CMAKE=$(command -v cmake)
CXX=${CXX:-g++}
MEMPROF_HAS_PAGE=unknown  # it is in the command if npm could build it
export MEMPROF_SOURCE MEMPROF_PREFIX MEMPROF_VERSION MEMPROF_HAS_PAGE CMAKE CXX

# As in the tests of an unpacked package, but found by the system's own paths.
"$CMAKE" -S "$here/consumer" -B by_cmake -DCMAKE_CXX_COMPILER="$CXX"
"$CMAKE" --build by_cmake
by_cmake/program
by_cmake/core_only
"$CMAKE" -S "$here/consumer" -B by_cmake_static -DCMAKE_CXX_COMPILER="$CXX" -Dmemprof_USE_STATIC_LIBS=ON
"$CMAKE" --build by_cmake_static
by_cmake_static/program
by_cmake_static/static_program
# Words of compiler options: they are meant to be split.
# shellcheck disable=SC2046
"$CXX" -std=c++23 -O2 "-DCONSUMER_MEMPROF_VERSION=\"$MEMPROF_VERSION\"" "$here/consumer/program.cpp" \
  -o by_pkg_config $(pkg-config --cflags --libs memprof)
./by_pkg_config  # found by the loader: ldconfig ran

memprof --version
memprof record --force --quiet --rate 1e-3 -o sort.ctf -- sort -o sorted "$MEMPROF_SOURCE/README.md"
memprof top sort.ctf > ranking
grep -q allocated ranking
bash "$here/command.sh"

apt-get -q -y purge memprof libmemprof-dev libmemprof0
while read -r file; do
  if [[ -e $file || -L $file ]]; then
    echo "$file is still there after the packages were purged" >&2
    exit 1
  fi
done < files
echo "installed, used, and purged: $(wc -l < files) files"
