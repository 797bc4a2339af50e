#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# usage: check_everything.sh [--seconds N] [--faults N] [STEP...]
#
# All that docs/reliability.md promises, overnight: every preset with its tests, the situations, real programs and
# failing calls in their long forms, random programs and each fuzzer for N seconds (3600), and N planted faults (300)
# that the tests must notice. Goes on after a failure, writes its tables into build/reliability, and ends with a
# summary. Steps: presets situations real faults stress fuzz mutation; all, if none is named.
set -euo pipefail
cd "$(dirname "$0")/.."

seconds=3600
faults=300
steps=()
while (($# > 0)); do
  case $1 in
    --seconds | --faults)
      if [[ ! ${2:-} =~ ^[0-9]+$ ]]; then
        echo "$0: $1 wants a number, not '${2:-}'" >&2
        exit 2
      fi
      if [[ $1 == --seconds ]]; then seconds=$2; else faults=$2; fi
      shift 2
      ;;
    presets | situations | real | faults | stress | fuzz | mutation)
      steps+=("$1")
      shift
      ;;
    *)
      echo "usage: $0 [--seconds N] [--faults N] [STEP...]" >&2
      exit 2
      ;;
  esac
done
if ((${#steps[@]} == 0)); then steps=(presets situations real faults stress fuzz mutation); fi

tables=$PWD/build/reliability
mkdir -p "$tables"
failed=0
summary=()

# What tests/situations, tests/real and tests/faults need of the preset release.
build_release() {
  cmake --preset release
  cmake --build --preset release
  local build=$PWD/build/release
  export MEMPROF_COMMAND=$build/bin/memprof MEMPROF_PRELOAD=$build/libmemprof-preload.so
  export MEMPROF_SITUATIONS=$build/tests/situations/bin MEMPROF_FAULTS=$build/tests/faults/bin CC=${CC:-cc}
}

run_step() {
  case $1 in
    presets) scripts/check_all.sh ;;
    situations | faults)
      build_release && python3 "tests/$1/run.py" --long --table "$tables/$1.md"
      ;;
    real)
      scripts/install_dependencies.sh real && build_release &&
        python3 tests/real/run.py --long --table "$tables/real.md"
      ;;
    stress) scripts/stress.sh --minutes $((seconds / 60)) --preset release ;;
    fuzz) scripts/fuzz.sh --seconds "$seconds" ;;
    mutation) scripts/mutate.py --count "$faults" --table "$tables/mutation.md" ;;
  esac
}

for step in "${steps[@]}"; do
  printf '\n== %s\n' "$step"
  started=$SECONDS
  result=passed
  (set -e; run_step "$step") > "$tables/$step.log" 2>&1 || result=FAILED
  if [[ $result == FAILED ]]; then failed=$((failed + 1)); fi
  tail -n 8 "$tables/$step.log"
  summary+=("$(printf '%-11s %6d s  %s' "$step" $((SECONDS - started)) "$result")")
done

{
  printf '%s, %s, %s processors\n' "$(date +%F)" "$(uname -sr)" "$(nproc)"
  printf '%s\n' "${summary[@]}"
} | tee "$tables/summary.txt"
exit $((failed > 0))
