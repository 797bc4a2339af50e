#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# usage: test.sh [--matrix]
#
# Installs what is missing, builds the preset `dev` and runs its tests, those labelled `long` excepted,
# and then each fuzzer for 20 seconds.
# With --matrix: then also with sanitizers, by g++ and by clang, each within a time limit
# (scripts/check_all.sh --bounded). All presets: scripts/check_all.sh.
set -euo pipefail
cd "$(dirname "$0")/.."

matrix=false
case ${1:-} in
  "") ;;
  --matrix) matrix=true ;;
  *)
    echo "usage: $0 [--matrix]" >&2
    exit 2
    ;;
esac

scripts/install_dependencies.sh build test examples allocators
scripts/check_all.sh dev
scripts/fuzz.sh --seconds 20 --seed 1
if [[ $matrix == true ]]; then
  # One preset with g++'s sanitizers, one with clang's, over memprof::core.
  scripts/check_all.sh --bounded asan tsan
fi
