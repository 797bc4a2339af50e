#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# usage: test.sh [--sanitizers]
#
# Installs what is missing, builds the preset `dev` and runs its tests, those labelled `long` excepted.
# With CI=true in the environment: then each fuzzer for 10 seconds, and as root the short form of
# scripts/check_distribution.sh for Debian 13.
# With --sanitizers: then the thread sanitizer (clang) and the address and
# undefined-behaviour sanitizers (g++), too, as far as they get in the 75 minutes that all of it may take.
# All presets, without a limit: scripts/check_all.sh.
set -euo pipefail
cd "$(dirname "$0")/.."

sanitizers=false
case ${1:-} in
  "") ;;
  --sanitizers) sanitizers=true ;;
  *)
    echo "usage: $0 [--sanitizers]" >&2
    exit 2
    ;;
esac

scripts/install_dependencies.sh build test examples viewer allocators
scripts/check_all.sh dev
if [[ ${CI:-} == true ]]; then
  scripts/fuzz.sh --seconds 10 --seed 1
  if [[ $(id -u) -eq 0 ]]; then
    scripts/check_distribution.sh --short trixie
  else
    echo "Debian 13 is not checked: making a system in a folder takes root."
  fi
fi
if [[ $sanitizers == true ]]; then
  minutes=$((75 - SECONDS / 60))
  if ((minutes > 0)); then
    scripts/check_all.sh --within "$minutes" tsan asan
  else
    echo "No time is left for the sanitizers."
  fi
fi
