#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# needs: g++
set -euo pipefail
folder=$PWD
cd "$SOURCE"
for compiler in g++ clang++-19; do
  command -v "$compiler" > /dev/null || continue
  for file in limits/check base/packed_slots; do
    "$compiler" -std=c++23 -O2 -g0 -Iinclude -Isrc/runtime -c "src/runtime/$file.cpp" -o "$folder/code.o"
    sha256sum < "$folder/code.o"
  done
  echo 'int main() { return x; }' | "$compiler" -x c++ -fsyntax-only - 2>&1 | grep -c error || true
done
