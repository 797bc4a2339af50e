#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# needs: cmake make g++
set -euo pipefail
cat > CMakeLists.txt <<'CMAKE'
cmake_minimum_required(VERSION 3.20)
project(p LANGUAGES CXX)
add_library(l STATIC l.cpp)
add_executable(e e.cpp)
target_link_libraries(e PRIVATE l)
CMAKE
echo 'int l() { return 41; }' > l.cpp
echo 'int l(); int main() { return l() + 1; }' > e.cpp
cmake -S . -B build -G 'Unix Makefiles' > log
grep -c 'Configuring done' log
make -C build -j2 > log
grep -c 'Built target' log
status=0
build/e || status=$?
echo "status $status"
