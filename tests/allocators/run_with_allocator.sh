#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# usage: run_with_allocator.sh LIBRARY DEBIAN_PACKAGE PROGRAM [ARGS]
#
# Runs PROGRAM with LIBRARY (a soname, or several with | between them) preloaded. The library is looked for by the compiler ($CXX) and
# in the loader's cache; if it is not installed that is a failure, not a skip.
set -euo pipefail

library=$1
debian_package=$2
shift 2

path=
for name in ${library//|/ }; do
  # The compiler prints the bare name if it does not find it.
  path=$("${CXX:-c++}" -print-file-name="$name")
  if [[ $path != /* ]]; then
    path=$(PATH=$PATH:/sbin:/usr/sbin ldconfig -p | awk -v name="$name" '$1 == name && !found++ {print $NF}')
  fi
  if [[ -e $path ]]; then
    library=$name
    break
  fi
done
if [[ ! -e $path ]]; then
  echo "$library is not installed: apt-get install $debian_package" \
    "(scripts/install_dependencies.sh does it)" >&2
  exit 1
fi

LD_PRELOAD=$path MEMPROF_TEST_ALLOCATOR=$library exec "$@"
