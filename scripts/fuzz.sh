#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# usage: fuzz.sh [--seconds N] [--seed N] [--fast] [FUZZER...]
#
# Builds the preset `fuzz` and runs the fuzzers (tests/fuzz/*_fuzz.cpp; all if none is named) for N
# seconds each, 600 unless told otherwise. They begin with tests/fuzz/corpus/<name>, where inputs that
# once failed are kept, and with what they have learned before, in build/fuzz/corpus/<name>. An input
# that fails is written to build/fuzz/failures/<name>-*. The table at the end counts the executions.
#   --fast   for many executions, of `reader` several times as many: inputs of at most 4 KB, and of the address
#            sanitizer neither the check of uses after return nor much memory that waits after a free nor more
#            than one frame of a stack: run a failure without it
set -euo pipefail
cd "$(dirname "$0")/.."

seconds=600
seed=0
fuzzers=()
# Long enough for packets of several kinds: the largest one has 32 KiB.
longest=70000
while (($# > 0)); do
  case $1 in
    --seconds | --seed)
      if [[ ! ${2:-} =~ ^[0-9]+$ ]]; then
        echo "$0: $1 wants a number, not '${2:-}'" >&2
        exit 2
      fi
      if [[ $1 == --seconds ]]; then seconds=$2; else seed=$2; fi
      shift 2
      ;;
    --fast)
      longest=4000
      ASAN_OPTIONS=detect_stack_use_after_return=0:quarantine_size_mb=1:thread_local_quarantine_size_kb=64
      export ASAN_OPTIONS+=:malloc_context_size=1:allocator_release_to_os_interval_ms=-1
      shift
      ;;
    -*)
      echo "usage: $0 [--seconds N] [--seed N] [--fast] [FUZZER...]" >&2
      exit 2
      ;;
    *)
      if [[ ! -f tests/fuzz/${1}_fuzz.cpp ]]; then
        echo "$0: there is no fuzzer '$1': see tests/fuzz" >&2
        exit 2
      fi
      fuzzers+=("$1")
      shift
      ;;
  esac
done
if ((${#fuzzers[@]} == 0)); then 
  for file in tests/fuzz/*_fuzz.cpp; do
    name=${file##*/}
    fuzzers+=("${name%_fuzz.cpp}")
  done
fi

scripts/install_dependencies.sh build clang
cmake --preset fuzz
cmake --build --preset fuzz --target "${fuzzers[@]/#/fuzz-}"

log=$(mktemp)
trap 'rm -f "$log"' EXIT
report=()
for fuzzer in "${fuzzers[@]}"; do
  # Absolute: a fuzzer may work in a folder of its own.
  corpus=$PWD/build/fuzz/corpus/$fuzzer
  failures=$PWD/build/fuzz/failures
  mkdir -p "$corpus" "$failures"
  seeds=()
  if [[ -d tests/fuzz/corpus/$fuzzer ]]; then seeds=("$PWD/tests/fuzz/corpus/$fuzzer"); fi
  if [[ $fuzzer == reader ]]; then
    cp -n tests/data/traces/bad/*.ctf tests/data/interrupts.ctf "$corpus"
    seeds=("$PWD/tests/data/traces")
  fi
  printf '\n== %s\n' "$fuzzer"
  "build/fuzz/bin/fuzz-$fuzzer" -max_total_time="$seconds" -seed="$seed" -max_len="$longest" -timeout=20 \
    -rss_limit_mb=2000 -print_final_stats=1 -artifact_prefix="$failures/$fuzzer-" \
    "$corpus" "${seeds[@]}" 2>&1 | tee "$log"
  executions=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
  report+=("$(printf '| %-8s | %4d s | %9d |' "$fuzzer" "$seconds" "$executions")")
done

printf '\n| fuzzer   | time | executions |\n|---|---|---|\n'
printf '%s\n' "${report[@]}"
