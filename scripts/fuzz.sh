#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# usage: fuzz.sh [--seconds N] [--seed N] [FUZZER...]
#
# Builds the preset `fuzz` and runs the fuzzers (reader, writer; both if none is named) for N seconds
# each, 600 unless told otherwise. What they learn is kept in build/fuzz/corpus/<name> and is where the
# next run begins; an input that fails is kept in build/fuzz/failures/<name>-*.
set -euo pipefail
cd "$(dirname "$0")/.."

seconds=600
seed=0
fuzzers=()
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
    -*)
      echo "usage: $0 [--seconds N] [--seed N] [FUZZER...]" >&2
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
if ((${#fuzzers[@]} == 0)); then fuzzers=(reader writer); fi

scripts/install_dependencies.sh build clang
cmake --preset fuzz
cmake --build --preset fuzz --target "${fuzzers[@]/#/fuzz-}"

for fuzzer in "${fuzzers[@]}"; do
  corpus=build/fuzz/corpus/$fuzzer
  failures=build/fuzz/failures
  mkdir -p "$corpus" "$failures"
  seeds=()
  if [[ $fuzzer == reader ]]; then
    cp -n tests/data/traces/bad/*.ctf tests/data/interrupts.ctf "$corpus"
    seeds=(tests/data/traces)
  fi
  printf '\n== %s\n' "$fuzzer"
  # Long enough for packets of several kinds: the largest one has 32 KiB.
  "build/fuzz/bin/fuzz-$fuzzer" -max_total_time="$seconds" -seed="$seed" -max_len=70000 -timeout=20 \
    -rss_limit_mb=2000 -print_final_stats=1 -artifact_prefix="$failures/$fuzzer-" \
    "$corpus" "${seeds[@]}"
done
