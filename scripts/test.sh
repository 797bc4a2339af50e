#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# usage: test.sh [--matrix]
#
# Installs what is missing, builds the preset `dev` and runs its tests, those labelled `long` excepted.
# With --matrix, or if the environment says CI=true: then also the other compilers, build types and
# sanitizers, each within a time limit (scripts/check_all.sh --bounded).
set -euo pipefail
cd "$(dirname "$0")/.."

matrix=${CI:-false}
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
if [[ $matrix == true ]]; then
  scripts/check_all.sh --bounded debug release clang-debug clang-release asan clang-asan tsan
fi
