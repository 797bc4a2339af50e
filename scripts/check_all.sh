#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# usage: check_all.sh [--bounded] [PRESET...]
#
# Configures, builds and tests the presets, one after another, goes on after a failure, and ends with a
# table. Without presets: all of them, and the tests labelled `long` of the preset release.
#   --bounded   what CI has time for: a preset gets 15 minutes, and all together 65 (other numbers of
#               minutes: MEMPROF_PRESET_MINUTES, MEMPROF_TOTAL_MINUTES). What the compiler does not
#               change (label lint) is left out, and what compiles the library again (package) is done
#               with clang-release only. A preset that got no time is a failure.
set -euo pipefail
cd "$(dirname "$0")/.."

bounded=false
if [[ ${1:-} == --bounded ]]; then
  bounded=true
  shift
fi
presets=("$@")
long=false
if [[ ${#presets[@]} -eq 0 ]]; then
  presets=(dev debug release clang-debug clang-release asan clang-asan tsan)
  long=true
fi

preset_minutes=${MEMPROF_PRESET_MINUTES:-15}
total_minutes=${MEMPROF_TOTAL_MINUTES:-65}

scripts/install_dependencies.sh build test examples allocators
if [[ " ${presets[*]} " == *" clang-"* || " ${presets[*]} " == *" tsan "* ]]; then
  scripts/install_dependencies.sh clang
fi

log=$(mktemp)
trap 'rm -f "$log"' EXIT

# What happened to each preset, for the table; `failed` counts.
report=()
failed=0

# check PRESET SECONDS: 0 for no limit
check() {
  local preset=$1 seconds=$2 started=$SECONDS result=passed
  local ctest=(ctest --preset "$preset" --no-tests=error)
  if [[ $bounded == true ]]; then
    # By name: the preset has a filter of labels already, and a second one would be ignored.
    if [[ $preset == clang-release ]]; then
      ctest+=(--exclude-regex '^lint\.')
    else
      ctest+=(--exclude-regex '^(lint|package)\.')
    fi
  fi
  printf '\n== %s\n' "$preset"
  # shellcheck disable=SC2016
  timeout --kill-after=30 "$seconds" bash -c '
      set -e
      preset=$1; shift
      cmake --preset "$preset"
      cmake --build --preset "$preset"
      "$@"' check "$preset" "${ctest[@]}" 2>&1 | tee "$log" || result=FAILED
  if [[ $result == FAILED ]]; then
    failed=$((failed + 1))
    if ((seconds > 0 && SECONDS - started >= seconds)); then
      result="FAILED: not done after $seconds s"
    fi
  fi
  report+=("$(printf '%-14s %5d s  %s  %s' "$preset" $((SECONDS - started)) "$result" \
    "$(grep -E '^[0-9]+% tests passed' "$log" | tail -n 1 || true)")")
}

for preset in "${presets[@]}"; do
  seconds=0
  if [[ $bounded == true ]]; then
    seconds=$((total_minutes * 60 - SECONDS))
    if ((seconds <= 0)); then
      report+=("$(printf '%-14s           FAILED: not begun, %d minutes are over' "$preset" \
        "$total_minutes")")
      failed=$((failed + 1))
      continue
    fi
    if ((seconds > preset_minutes * 60)); then seconds=$((preset_minutes * 60)); fi
  fi
  check "$preset" "$seconds"
done

if [[ $long == true ]]; then
  printf '\n== long tests of release\n'
  result=passed
  ctest --test-dir build/release --output-on-failure --no-tests=error -L '^long$' | tee "$log" ||
    result=FAILED
  [[ $result == passed ]] || failed=$((failed + 1))
  report+=("$(printf '%-14s %7s  %s  %s' "release, long" "" "$result" \
    "$(grep -E '^[0-9]+% tests passed' "$log" | tail -n 1 || true)")")
fi

printf '\nSummary\n'
printf '  %s\n' "${report[@]}"
exit $((failed > 0))
