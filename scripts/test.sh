#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# usage: test.sh [--extended] [--sanitizers]
#
# Installs what is missing, builds the preset `dev` and runs its tests: the ordinary ones, in some ten minutes.
#   --extended    the extended tests as well (preset `extended`: other allocators, packages, statistics, stress,
#                 real programs, ...), then each fuzzer for 10 seconds, and as root the short form of
#                 scripts/check_distribution.sh for Debian 13, unless 52 minutes are over by then.
#                 With CI=true in the environment without asking.
#   --sanitizers  then the thread sanitizer (clang) and the address and undefined-behaviour sanitizers
#                 (g++), too, as far as they get in the 75 minutes that all of it may take
# Tests labelled `long`, and all presets without a limit: scripts/check_everything.sh.
set -euo pipefail
cd "$(dirname "$0")/.."

extended=false
[[ ${CI:-} == true ]] && extended=true
sanitizers=false
for argument in "$@"; do
  case $argument in
    --extended) extended=true ;;
    --sanitizers) sanitizers=true ;;
    *)
      sed -n '4,13s/^# \{0,1\}//p' "$0" >&2
      exit 2
      ;;
  esac
done

scripts/install_dependencies.sh build test examples viewer allocators
if [[ $extended == true ]]; then
  scripts/check_all.sh extended
  scripts/fuzz.sh --seconds 10 --seed 1
  # It takes up to two thirds of the time of what came before (25 minutes of 38): all is done after 87, and CI has 90.
  if ((SECONDS > 52 * 60)); then
    echo "Debian 13 is not checked: that takes too long on a machine that has needed $((SECONDS / 60)) minutes already."
  elif [[ $(id -u) -ne 0 ]]; then
    echo "Debian 13 is not checked: making a system in a folder takes root."
  else
    scripts/check_distribution.sh --short trixie
  fi
else
  scripts/check_all.sh dev
fi
if [[ $sanitizers == true ]]; then
  minutes=$((75 - SECONDS / 60))
  if ((minutes > 0)); then
    scripts/check_all.sh --within "$minutes" tsan asan
  else
    echo "No time is left for the sanitizers."
  fi
fi
