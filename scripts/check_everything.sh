#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# usage: check_everything.sh [--short] [--seconds N] [--faults N] [STEP...]
#
# All that docs/reliability.md promises, overnight: every preset with its tests, the situations, real programs and
# failing calls in their long forms, every order of operations, random programs and each fuzzer for N seconds (3600),
# servers for two hours, and N planted faults (300) that the tests must notice. Goes on after a failure, and writes
# build/reliability/everything.md: the date, the machine, and of each step what it counted, with the steps' own tables
# and logs beside it. --short is the shortest form of each: a minute of fuzzers, random programs and servers, the short
# forms of the others, five planted faults, and of the presets `dev`, 40 minutes of it at most.
# Steps: presets situations real faults interleavings stress soak fuzz mutation; all, if none is named.
set -euo pipefail
cd "$(dirname "$0")/.."

every=(presets situations real faults interleavings stress soak fuzz mutation)
short=false
seconds=3600
faults=300
steps=()
while (($# > 0)); do
  case $1 in
    --short)
      short=true
      seconds=60
      faults=5
      shift
      ;;
    --seconds | --faults)
      if [[ ! ${2:-} =~ ^[0-9]+$ ]]; then
        echo "$0: $1 wants a number, not '${2:-}'" >&2
        exit 2
      fi
      if [[ $1 == --seconds ]]; then seconds=$2; else faults=$2; fi
      shift 2
      ;;
    *)
      if [[ " ${every[*]} " != *" $1 "* ]]; then
        echo "usage: $0 [--short] [--seconds N] [--faults N] [STEP...]" >&2
        exit 2
      fi
      steps+=("$1")
      shift
      ;;
  esac
done
if ((${#steps[@]} == 0)); then steps=("${every[@]}"); fi
preset=release
long=(--long)
if [[ $short == true ]]; then
  preset=dev
  long=()
fi

tables=$PWD/build/reliability
mkdir -p "$tables"
failed=0
rows=()

# What tests/situations, tests/real and tests/faults need of the preset.
build_preset() {
  cmake --preset "$preset" -DMEMPROF_EXTENDED_TESTS=ON
  cmake --build --preset "$preset"
  local build=$PWD/build/$preset
  export MEMPROF_COMMAND=$build/bin/memprof MEMPROF_PRELOAD=$build/libmemprof-preload.so
  export MEMPROF_SITUATIONS=$build/tests/situations/bin MEMPROF_FAULTS=$build/tests/faults/bin CC=${CC:-cc}
}

run_step() {
  local minutes=$((seconds < 60 ? 1 : seconds / 60))
  case $1 in
    presets) if [[ $short == true ]]; then scripts/check_all.sh --within 40 extended; else scripts/check_all.sh; fi ;;
    situations | faults)
      build_preset
      python3 "tests/$1/run.py" "${long[@]}" --table "$tables/$1.md"
      ;;
    real)
      if [[ $short == false ]]; then scripts/install_dependencies.sh real; fi
      build_preset
      python3 tests/real/run.py "${long[@]}" --table "$tables/real.md"
      ;;
    interleavings)
      build_preset
      ctest --preset "$preset" -R '^interleavings'
      ;;
    stress) scripts/stress.sh --minutes "$minutes" --preset "$preset" ;;
    soak) scripts/soak.sh --minutes "$((minutes * 2 - (minutes < 2)))" --preset "$preset" --table "$tables/soak.md" ;;
    fuzz) scripts/fuzz.sh --seconds "$seconds" ;;
    mutation) scripts/mutate.py --count "$faults" --table "$tables/mutation.md" ;;
  esac
}

# The line of a step's log that says what it counted.
counted() {
  local what
  case $1 in
    presets | interleavings) what='tests passed' ;;
    situations) what='situations, .* comparisons' ;;
    faults) what='faults, .* wrong' ;;
    real) what='programs|comparisons' ;;
    stress) what='programs' ;;
    soak) what='^\| [A-Z].*[0-9]' ;;
    fuzz) what='^\| [a-z]+ +\| +[0-9]+ s' ;;
    mutation) what='survived;' ;;
  esac
  grep -E "$what" "$tables/$1.log" | awk '!seen[$0]++' | tail -n 12 | tr '|\n' ' ;' | tr -s ' ' | sed 's/;*$//' || true
}

# The step's status must count, so it is not run in a condition: there `set -e` would be off in it.
for step in "${steps[@]}"; do
  printf '\n== %s\n' "$step"
  started=$SECONDS
  set +e
  (
    set -e
    run_step "$step"
  ) > "$tables/$step.log" 2>&1
  status=$?
  set -e
  result=passed
  if ((status != 0)); then
    result=FAILED
    failed=$((failed + 1))
  fi
  tail -n 8 "$tables/$step.log"
  rows+=("| $step | $result | $((SECONDS - started)) s | $(counted "$step") |")
done

{
  printf '# Everything that is tried\n\n'
  printf '%s, commit %s. %s, %s processors (%s), %s.\n\n' "$(date '+%F %R')" "$(git rev-parse --short HEAD)" \
    "$(uname -srm)" "$(nproc)" "$(sed -n 's/^model name.*: //p' /proc/cpuinfo | head -n 1)" \
    "$(awk '/MemTotal/ {printf "%.0f GiB of memory", $2 / 1048576}' /proc/meminfo)"
  printf 'Form: %s; fuzzers and random programs %s s each, %s planted faults.\n\n' \
    "$([[ $short == true ]] && echo short || echo long)" "$seconds" "$faults"
  printf '| step | result | time | what it counted |\n|---|---|---|---|\n'
  printf '%s\n' "${rows[@]}"
} | tee "$tables/everything.md"
exit $((failed > 0))
