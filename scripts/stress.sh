#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# usage: stress.sh [--minutes N] [--seed N] [--preset NAME]
#
# Runs random programs against a model (tests/stress): N minutes (30) from a seed (of the day), a third of the time
# linked, a third under the preload library, a third recorded at a rate of 1. The presets asan, clang-asan and tsan
# have memprof::core alone: there it is all linked. A program that fails is made smaller and printed; the others go on.
# Exit status: 1 if one failed. To run one again: build/PRESET/tests/stress/stress --seed N --count 1.
set -euo pipefail
cd "$(dirname "$0")/.."

minutes=30
seed=$(date +%Y%m%d)000000
preset=dev
while (($# > 0)); do
  if [[ $1 == --preset && -n ${2:-} ]]; then
    preset=$2
  elif [[ ($1 == --minutes || $1 == --seed) && ${2:-} =~ ^[0-9]+$ ]]; then
    if [[ $1 == --minutes ]]; then minutes=$2; else seed=$2; fi
  else
    echo "usage: $0 [--minutes N] [--seed N] [--preset NAME]" >&2
    exit 2
  fi
  shift 2
done

build=$PWD/build/$preset
export MEMPROF_TEST_MODULES=$build/tests/modules
cmake --preset "$preset" -DMEMPROF_EXTENDED_TESTS=ON
failed=0
case $preset in
  asan | clang-asan | tsan)
    cmake --build --preset "$preset" --target stress_core
    "$build/tests/stress/stress_core" --seed "$seed" --seconds $((minutes * 60)) --keep-going \
      --without module --without jump || failed=1
    ;;
  *)
    cmake --build --preset "$preset" --target stress memprof_preload memprof-cli
    stress=$build/tests/stress/stress
    seconds=$((minutes * 20))
    trace=$(mktemp)
    trap 'rm -f "$trace"' EXIT
    "$stress" --seed "$seed" --seconds $seconds --keep-going || failed=1
    LD_PRELOAD=$build/libmemprof-preload.so MEMPROF_RATE=1 \
      "$stress" --seed $((seed + 100000)) --seconds $seconds --keep-going || failed=1
    "$build/bin/memprof" record --force -o "$trace" --rate 1 -- \
      "$stress" --seed $((seed + 200000)) --seconds $seconds --keep-going || failed=1
    ;;
esac
exit $failed
