#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# usage: check_aarch64.sh [--system FOLDER] [--tests REGEX] [FLAG...]
#
# memprof on AArch64, under emulation: makes (or reuses) a bare Debian in FOLDER, with Debian's cross
# compiler, the libraries for arm64 and QEMU; builds everything there but the examples, by the preset
# `aarch64`; runs the tests, those named in scripts/lib/aarch64_excluded.txt and those labelled `long`,
# `lint`, `package`, `judges`, `viewer` excepted. As root; some 20 CPU minutes to build and as much to test.
#
#   --system FOLDER   instead of build/systems/bookworm-aarch64
#   --tests REGEX     only the tests whose names match
#   FLAG              for the compiler: -march=armv8.1-a, -mbranch-protection=standard; built in a
#                     folder of its own, without the tools
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=scripts/lib/bare_system.sh
. scripts/lib/bare_system.sh

system=build/systems/bookworm-aarch64
tests=()
while [[ $# -gt 0 ]]; do
  case $1 in
    --system | --tests)
      if [[ $# -lt 2 ]]; then bare_system_fail "$1 takes an argument"; fi
      if [[ $1 == --system ]]; then system=$2; else tests=(-R "$2"); fi
      shift 2
      ;;
    -[a-z]*) break ;;
    *)
      echo "usage: $0 [--system FOLDER] [--tests REGEX] [FLAG...]" >&2
      exit 2
      ;;
  esac
done

bare_system_make bookworm "$system"
bare_system_enter "$system" dpkg --add-architecture arm64
# catch2 cannot be installed for two architectures, and needs to be for this one alone.
bare_system_install "$system" cmake ninja-build pkg-config python3 ccache g++-aarch64-linux-gnu \
  binutils-multiarch qemu-user libcli11-dev nlohmann-json3-dev \
  {catch2,libboost1.81-dev,libboost-context1.81-dev,libcpp-httplib-dev}:arm64 \
  {libdw-dev,libiberty-dev,libfmt-dev,zlib1g-dev}:arm64 \
  {libsqlite3-dev,libexpat1-dev,libxml2-dev,liblua5.4-dev,libginac-dev}:arm64

if command -v ccache >/dev/null; then
  mkdir -p "$(ccache --get-config cache_dir)"
  BARE_SYSTEM_MOUNTS+=("$(ccache --get-config cache_dir):/ccache")
fi
status=0
bare_system_enter "$system" env CCACHE_DIR=/ccache CCACHE_BASEDIR=/memprof-source CCACHE_NOHASHDIR=1 \
  bash scripts/lib/aarch64_tests.sh "$*" "${tests[@]}" || status=$?

echo
echo "What QEMU cannot show: the weak memory order of the processor, timing, enforced pointer"
echo "authentication and branch targets, pages of 16 and 64 KiB. Tests left out:"
grep -v '^#' scripts/lib/aarch64_excluded.txt
exit "$status"
