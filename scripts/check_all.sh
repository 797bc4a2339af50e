#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# usage: check_all.sh [--within MINUTES] [PRESET...]
#
# Configures, builds and tests the presets, one after another, goes on after a failure, and ends with a
# table. Without presets: all of them, and the tests labelled `long` of the preset release.
#   --within MINUTES   for all of them together. A preset that is not done by then is cut off, and the
#                      table says so: that is no failure, but a test that failed before is. What the
#                      compiler does not change (label lint) and what compiles the library once more
#                      (package) is left out.
set -euo pipefail
cd "$(dirname "$0")/.."

seconds_in_all=0
if [[ ${1:-} == --within ]]; then
  seconds_in_all=$(($2 * 60))
  shift 2
fi
presets=("$@")
long=false
if [[ ${#presets[@]} -eq 0 ]]; then
  presets=(extended debug release clang-debug clang-release asan clang-asan tsan)
  long=true
fi

scripts/install_dependencies.sh build test examples viewer allocators
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
  if ((seconds > 0)); then
    # By name: the preset has a filter of labels already, and a second one would be ignored.
    ctest+=(--exclude-regex '^(lint|package)\.')
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
    # What was under way when the time was over ends with a signal; that is no failure.
    if ((seconds > 0 && SECONDS - started >= seconds)) &&
      ! grep -qE '\*\*\*(Failed|Timeout|Not Run|Exception: (SegFault|Illegal|Numerical))' "$log" &&
      ! grep -qE 'aborted\*\*\*Exception|pp:[0-9]+:[0-9]+: error:' "$log"; then
      result="cut off: $(grep -cE ' Passed ' "$log" || true) tests had passed"
    else
      failed=$((failed + 1))
    fi
  fi
  report+=("$(printf '%-14s %5d s  %s  %s' "$preset" $((SECONDS - started)) "$result" \
    "$(grep -E '^[0-9]+% tests passed' "$log" | tail -n 1 || true)")")
}

for preset in "${presets[@]}"; do
  seconds=0
  if ((seconds_in_all > 0)); then
    seconds=$((seconds_in_all - SECONDS))
    if ((seconds <= 0)); then
      report+=("$(printf '%-14s           not begun: no time was left' "$preset")")
      continue
    fi
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
