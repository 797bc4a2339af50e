#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# usage: soak.sh [--minutes N] [--preset NAME] [--table FILE]
#
# Servers under good and runaway load for N minutes in all (120), one after the other (scripts/servers.py): no good
# request is answered wrong, every runaway is stopped, none crashes, and the memory stays. Twelve times, when no request
# is under way, it is printed what malloc says is in use and what is resident. Exit status: 1 if something was wrong.
# By night: --minutes 10. A short form: --minutes 1.
set -euo pipefail
cd "$(dirname "$0")/.."

minutes=120
preset=dev
table=build/reliability/soak.md
while (($# > 0)); do
  if [[ $1 == --minutes && ${2:-} =~ ^[1-9][0-9]*$ ]]; then
    minutes=$2
  elif [[ ($1 == --preset || $1 == --table) && -n ${2:-} ]]; then
    if [[ $1 == --preset ]]; then preset=$2; else table=$2; fi
  else
    echo "usage: $0 [--minutes N] [--preset NAME] [--table FILE]" >&2
    exit 2
  fi
  shift 2
done

cmake --preset "$preset" -DMEMPROF_EXTENDED_TESTS=ON
targets=(server_asio memprof-example-server)
# gRPC's is built where gRPC is installed (scripts/install_dependencies.sh servers).
# Not by a pipe into `grep -q`, which ends at the first match: whether cmake can still write then is chance.
buildable=$(cmake --build --preset "$preset" --target help)
if grep -q '^server_grpc:' <<< "$buildable"; then targets+=(server_grpc); fi
cmake --build --preset "$preset" --target "${targets[@]}"
mkdir -p "$(dirname "$table")"
# A third more of each server's time is for warming up.
scripts/servers.py --build "build/$preset" --seconds $((minutes * 60 * 3 / 4 / ${#targets[@]})) --rounds 12 \
  --record "$table"
