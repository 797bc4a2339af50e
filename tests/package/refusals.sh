#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# What is said to somebody whose compiler, C++ library, target or packages will not do: by cmake, and by
# the headers in a program that was built without cmake. One sentence that names it.
set -euo pipefail
here=$PWD
rm -rf build headers
mkdir headers

# expect SENTENCE WHAT: the file `output` must hold SENTENCE, whichever way its lines are broken.
expect() {
  if ! grep -qF -- "$1" <<< "$(tr -s ' \n' ' ' < output)"; then
    printf '%s: expected "%s", but got:\n' "$2" "$1" >&2
    cat output >&2
    exit 1
  fi
}
# configure SENTENCE [CMAKE ARGUMENTS]
configure() {
  local sentence=$1
  shift
  if "$CMAKE" --fresh -S "$MEMPROF_SOURCE" -B build -DCMAKE_CXX_COMPILER="$CXX" "$@" > output 2>&1; then
    echo "cmake $* succeeds" >&2
    exit 1
  fi
  expect "$sentence" "cmake $*"
}
# compile SENTENCE [COMPILER OPTIONS]: each public header by itself
compile() {
  local sentence=$1 header name
  shift
  for header in "$MEMPROF_SOURCE"/include/memprof/*.hpp; do
    name=$(basename "$header" .hpp)
    printf '#include "memprof/%s.hpp"\n' "$name" > "headers/$name.cpp"
    if "$CXX" -fsyntax-only -I"$MEMPROF_SOURCE/include" "$@" "headers/$name.cpp" > output 2>&1; then
      echo "$name.hpp compiles with $*" >&2
      exit 1
    fi
    expect "$sentence" "$name.hpp with $*"
  done
}

# A compiler that says it is an old one.
major=__GNUC__
oldest=12
if [[ $("$CXX" --version) == *clang* ]]; then
  major=__clang_major__
  oldest=16
fi
old=$((oldest - 1))
printf '#!/bin/sh\nexec "%s" -U%s -D%s=%s -Wno-builtin-macro-redefined "$@"\n' "$(command -v "$CXX")" \
  "$major" "$major" "$old" > old_compiler
chmod +x old_compiler
configure "memprof needs g++ 12 or clang++ 16, or newer, and $here/old_compiler is" \
  -DCMAKE_CXX_COMPILER="$here/old_compiler"
if "$here/old_compiler" -std=c++23 -fsyntax-only -x c++ -I"$MEMPROF_SOURCE/include" - > output 2>&1 \
  <<< '#include "memprof/memprof.hpp"'; then
  echo "the headers compile with an old compiler" >&2
  exit 1
fi
expect "memprof needs g++ 12 or clang++ 16, or newer" "memprof.hpp with an old compiler"
compile "memprof needs C++23: compile with -std=c++23" -std=c++20

# 32 bits. The libraries for it need not be installed: nothing is linked, and of the headers only one that
# includes no other is compiled.
if [[ $(uname -m) == x86_64 ]]; then
  configure "memprof needs a target of 64 bits, and this one has 32: compile without -m32" \
    -DCMAKE_CXX_FLAGS=-m32 -DCMAKE_TRY_COMPILE_TARGET_TYPE=STATIC_LIBRARY
  if "$CXX" -std=c++23 -m32 -fsyntax-only -x c++ -I"$MEMPROF_SOURCE/include" - > output 2>&1 \
    <<< '#include "memprof/detail/requirements.hpp"'; then
    echo "the headers compile with -m32" >&2
    exit 1
  fi
  expect "memprof needs a target of 64 bits: compile without -m32" "a header with -m32"
fi

# Another C library: what of musl counts is that its <features.h> defines no version of glibc.
mkdir -p headers/other_libc
echo '/* as musl has it */' > headers/other_libc/features.h
configure "memprof needs glibc 2.35 or newer, which has _dl_find_object" \
  -DCMAKE_CXX_FLAGS="-nostdinc -isystem $here/headers/other_libc"
if "$CXX" -std=c++23 -nostdinc -isystem headers/other_libc -fsyntax-only -x c++ \
  -I"$MEMPROF_SOURCE/include" - > output 2>&1 <<< '#include "memprof/detail/requirements.hpp"'; then
  echo "the headers compile without glibc" >&2
  exit 1
fi
expect "memprof needs glibc 2.35 or newer" "a header with another C library"

# No C++ library, or one without std::expected.
configure "memprof needs a C++ library with std::expected" -DCMAKE_CXX_FLAGS=-nostdinc++

# A package that is missing: what it is, who needs it, and where it comes from.
missing() {
  configure "$1 was not found; $2 needs it. On Debian: apt-get install $3" "${@:4}"
}
without=-DCMAKE_DISABLE_FIND_PACKAGE
missing "CLI11 2.1" MEMPROF_BUILD_TOOLS libcli11-dev -DMEMPROF_BUILD_TOOLS=ON ${without}_CLI11=ON
missing "fmt 9" MEMPROF_BUILD_TOOLS libfmt-dev -DMEMPROF_BUILD_TOOLS=ON ${without}_fmt=ON
missing "Boost.Context 1.81" MEMPROF_BUILD_FIBER libboost-context-dev -DMEMPROF_BUILD_FIBER=ON ${without}_Boost=ON
missing "Catch2 3, or 2.13" MEMPROF_BUILD_TESTS catch2 -DMEMPROF_BUILD_TESTS=ON ${without}_Catch2=ON
missing "pkg-config" "MEMPROF_BUILD_TESTS" pkg-config -DMEMPROF_BUILD_TESTS=ON -DMEMPROF_BUILD_TOOLS=OFF \
  ${without}_PkgConfig=ON
