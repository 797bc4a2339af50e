#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# usage: test.sh [--short] [--seconds N] [--faults N] [STEP...]
#
# Installs what is missing, builds the preset `dev` and runs its tests: the ordinary ones, in some ten minutes.
# Named steps are run instead, one after another, also after a failure:
#   a preset        built and tested: dev, extended, debug, release, clang-debug, clang-release, asan, clang-asan, tsan
#   ci              extended, each fuzzer for 10 seconds, and as root Debian 13: what CI=true in the environment asks for
#   presets         all of them, and the tests labelled `long` of release
#   situations real faults interleavings stress soak fuzz mutation
#                   in their long forms: fuzzers and random programs for N seconds (3600), servers twice as long,
#                   N planted faults (300)
#   everything      presets and all of these: all that docs/reliability.md promises, overnight
#   --short         the shortest form of each: a minute, five planted faults, `extended` in place of all presets
# build/reliability gets the log of each step, and results.md: the date, the machine, and what each step counted.
set -euo pipefail
cd "$(dirname "$0")/.."

every_preset=(dev extended debug release clang-debug clang-release asan clang-asan tsan)
presets=("${every_preset[@]:1}" long)  # extended has all tests of dev
long_forms=(situations real faults interleavings stress soak fuzz mutation)
of_ci=(extended fuzzers-10s trixie)
preset=release
long=(--long)
seconds=3600
faults=300
steps=()

usage() {
  sed -n '4,17s/^# \{0,1\}//p' "$0" >&2
  exit 2
}

is_in() {
  local word=$1
  shift
  [[ " $* " == *" $word "* ]]
}

while (($# > 0)); do
  case $1 in
    --short)
      preset=dev
      long=()
      seconds=60
      faults=5
      presets=(extended)
      ;;
    --seconds | --faults)
      [[ ${2:-} =~ ^[0-9]+$ ]] || usage
      declare "${1#--}=$2"
      shift
      ;;
    ci) steps+=("${of_ci[@]}") ;;
    presets) steps+=("${presets[@]}") ;;
    everything) steps+=("${presets[@]}" "${long_forms[@]}") ;;
    *)
      is_in "$1" "${every_preset[@]}" "${long_forms[@]}" || usage
      steps+=("$1")
      ;;
  esac
  shift
done
if ((${#steps[@]} == 0)); then
  steps=(dev)
  if [[ ${CI:-} == true ]]; then steps=("${of_ci[@]}"); fi
fi

tables=$PWD/build/reliability
mkdir -p "$tables"

# What tests/situations, tests/real and tests/faults need of the preset.
build_extended() {
  cmake --preset "$preset" -DMEMPROF_EXTENDED_TESTS=ON
  cmake --build --preset "$preset"
  local build=$PWD/build/$preset
  export MEMPROF_COMMAND=$build/bin/memprof MEMPROF_PRELOAD=$build/libmemprof-preload.so
  export MEMPROF_SITUATIONS=$build/tests/situations/bin MEMPROF_FAULTS=$build/tests/faults/bin CC=${CC:-cc}
}

run_step() {
  local minutes=$((seconds < 60 ? 1 : seconds / 60))
  case $1 in
    fuzzers-10s) scripts/fuzz.sh --seconds 10 --seed 1 ;;
    trixie)
      if [[ $(id -u) -eq 0 ]]; then
        scripts/check_distribution.sh --short trixie
      else
        echo "Debian 13 is not checked: making a system in a folder takes root."
      fi
      ;;
    long) ctest --test-dir "build/$preset" --output-on-failure --no-tests=error -L '^long$' ;;
    situations | faults)
      build_extended
      python3 "tests/$1/run.py" "${long[@]}" --table "$tables/$1.md"
      ;;
    real)
      if ((${#long[@]} > 0)); then scripts/install_dependencies.sh real; fi
      build_extended
      python3 tests/real/run.py "${long[@]}" --table "$tables/real.md"
      ;;
    interleavings)
      build_extended
      ctest --preset "$preset" -R '^interleavings'
      ;;
    stress) scripts/stress.sh --minutes "$minutes" --preset "$preset" ;;
    soak) scripts/soak.sh --minutes "$((minutes * 2 - (minutes < 2)))" --preset "$preset" --table "$tables/soak.md" ;;
    fuzz) scripts/fuzz.sh --seconds "$seconds" ;;
    mutation) scripts/mutate.py --count "$faults" --table "$tables/mutation.md" ;;
    *)
      cmake --preset "$1"
      cmake --build --preset "$1"
      ctest --preset "$1" --no-tests=error
      ;;
  esac
}

# The line of a step's log that says what it counted.
counted() {
  local what='tests passed'
  case $1 in
    situations) what='situations, .* comparisons' ;;
    faults) what='faults, .* wrong' ;;
    real) what='programs|comparisons' ;;
    stress) what='programs' ;;
    soak) what='^\| [A-Z].*[0-9]' ;;
    fuzz*) what='^\| [a-z]+ +\| +[0-9]+ s' ;;
    mutation) what='survived;' ;;
    trixie) what='^  trixie' ;;
  esac
  grep -E "$what" "$tables/$1.log" | awk '!seen[$0]++' | tail -n 20 | tr '|\n' ' ;' | tr -s ' ' | sed 's/;*$//' || true
}

scripts/install_dependencies.sh build test examples viewer allocators
case " ${steps[*]} " in *" extended "*) scripts/install_dependencies.sh languages ;; esac
case " ${steps[*]} " in *" clang-"* | *" tsan "*) scripts/install_dependencies.sh clang ;; esac

# A step's status must count, so it is not run in a condition: there `set -e` would be off in it.
failed=0
rows=()
for step in "${steps[@]}"; do
  printf '\n== %s\n' "$step"
  started=$SECONDS
  set +e
  (
    set -e
    run_step "$step"
  ) 2>&1 | tee "$tables/$step.log"
  status=${PIPESTATUS[0]}
  set -e
  result=passed
  if ((status != 0)); then
    result=FAILED
    failed=$((failed + 1))
  fi
  rows+=("| $step | $result | $((SECONDS - started)) s | $(counted "$step") |")
done

{
  printf '# What was tried\n\n'
  printf '%s, commit %s. %s, %s processors (%s), %s.\n\n' "$(date '+%F %R')" "$(git rev-parse --short HEAD)" \
    "$(uname -srm)" "$(nproc)" "$(sed -n 's/^model name.*: //p' /proc/cpuinfo | head -n 1)" \
    "$(awk '/MemTotal/ {printf "%.0f GiB of memory", $2 / 1048576}' /proc/meminfo)"
  printf '| step | result | time | what it counted |\n|---|---|---|---|\n'
  printf '%s\n' "${rows[@]}"
} > "$tables/results.md"
printf '\nSummary\n'
tail -n "${#rows[@]}" "$tables/results.md"
exit $((failed > 0))
