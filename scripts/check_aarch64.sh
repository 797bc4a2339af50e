#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# usage: check_aarch64.sh [FLAG...]
#
# The pre-flight on AArch64, under emulation: installs a cross compiler and QEMU with apt if they are
# missing, compiles memprof::core and runs the tests of the stack walk and of delivery that need no
# foreign libraries. FLAG: for the compiler, -O2 unless given. CXX, QEMU: other commands, as
# CXX="clang++-19 --target=aarch64-linux-gnu". Minutes.
set -euo pipefail
cd "$(dirname "$0")/.."

if ! command -v aarch64-linux-gnu-g++ >/dev/null || ! command -v qemu-aarch64 >/dev/null; then
  sudo=""
  if [[ $(id -u) -ne 0 ]]; then sudo=sudo; fi
  $sudo apt-get install -y g++-aarch64-linux-gnu qemu-user catch2
fi
read -ra cxx <<<"${CXX:-aarch64-linux-gnu-g++}"
read -ra qemu <<<"${QEMU:-qemu-aarch64}"
flags=("$@")
if [[ ${#flags[@]} -eq 0 ]]; then flags=(-O2); fi

build=$(mktemp -d)
trap 'rm -rf "$build"' EXIT
mkdir "$build/include"
ln -s /usr/include/catch2 "$build/include/catch2"  # without the other headers beside it
echo '#include <catch2/catch.hpp>' >"$build/main.cpp"

# compile GROUP SOURCE...: into $build/GROUP
compile() {
  local group=$1 source extra
  shift
  mkdir -p "$build/$group"
  for source in "$@"; do
    extra=()
    if [[ $source == *specification* ]]; then extra=(-std=gnu++14); fi
    if [[ $source == "$build/main.cpp" ]]; then extra=(-DCATCH_CONFIG_MAIN); fi
    "${cxx[@]}" -std=c++23 -w -ftls-model=initial-exec -Isrc -Iinclude -Itests -Itests/unit \
      -Itests/delivery -I"$build/include" "${flags[@]}" "${extra[@]}" \
      -c "$source" -o "$build/$group/${source//\//_}.o"
  done
}

# run GROUP [ARGUMENT...]
run() {
  local group=$1
  shift
  "${cxx[@]}" "${flags[@]}" "$build/$group"/*.o "$build"/core/*.o -o "$build/$group/program"
  "${qemu[@]}" -L /usr/aarch64-linux-gnu "$build/$group/program" "$@"
}

compile core src/{base,sampling,callstack,engine,delivery,limits}/*.cpp
compile unit "$build/main.cpp" tests/unit/callstack/{,cases/}*.cpp tests/unit/delivery/cases/*.cpp \
  tests/unit/delivery/{delivery,frame_outcome,lsda,pc_cache,aarch64_code}_test.cpp
compile matrix tests/delivery/matrix.cpp tests/delivery/support/*.cpp \
  tests/delivery/special/{thread_locals,cxx14_specifications}.cpp \
  tests/delivery/situations/{algorithms,containers,coroutines,destructors,functional,futures,handlers}.cpp \
  tests/delivery/situations/{in_flight,noexcept,plain,signals,statics,streams,threads}.cpp

run unit
run matrix | sed "/^ok/d"
run matrix --retry | sed "/^ok/d"
