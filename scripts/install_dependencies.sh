#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# usage: install_dependencies.sh [GROUP...]
#
# Installs the Debian packages that memprof needs, those that are missing, with apt. Groups, all of
# them if none is named:
#   build        the library and the command memprof
#   test         the tests
#   examples     the examples
#   viewer       the page of memprof serve and a browser for its tests. node 20 and npm 9 are newer than
#                Debian 12 has: without them the command is built without its page
#   clang        the presets clang-* and tsan
#   allocators   the tests over other allocators
#   judges       the tools that judge what `memprof convert` writes (400 MB; tests without are skipped)
#   plots        to draw the plots of docs/statistical.md and docs/performance.md again
#   peers        what the benchmarks compare with: other allocators that sample, heaptrack, OCaml
set -euo pipefail

declare -A packages=(
  [build]="cmake ninja-build g++ pkg-config libboost-context1.81-dev libcli11-dev nlohmann-json3-dev
    libdw-dev zlib1g-dev libcpp-httplib-dev"
  [test]="catch2 libboost1.81-dev python3 clang-format-14 codespell shellcheck git sqlite3
    libsqlite3-dev libexpat1-dev libxml2-dev liblua5.4-dev libginac-dev nlohmann-json3-dev"
  [examples]="python3 libboost1.81-dev libginac-dev libcpp-httplib-dev nlohmann-json3-dev"
  [viewer]="chromium python3"
  [clang]="clang-19 libclang-rt-19-dev"
  [allocators]="libjemalloc2 libtcmalloc-minimal4 libmimalloc2.0"
  [judges]="heaptrack redis-server redis-tools babeltrace2 golang-go golang-github-google-pprof-dev valgrind nodejs librsvg2-bin"
  [plots]="gnuplot-nox"
  [peers]="libjemalloc2 libtcmalloc-minimal4 libgoogle-perftools4 heaptrack sqlite3 redis-server redis-tools
    ocaml-nox"
)

groups=("$@")
if [[ ${#groups[@]} -eq 0 ]]; then groups=(build test examples viewer clang allocators); fi

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
  echo "$0: this is no Debian: install what cmake/dependencies.cmake lists, then run cmake." >&2
  exit 1
fi

missing=()
for group in "${groups[@]}"; do
  if [[ -z ${packages[$group]:-} ]]; then
    echo "$0: there is no group '$group'; the groups are: ${!packages[*]}" >&2
    exit 2
  fi
  wanted=${packages[$group]}
  # Not over what is there, from elsewhere.
  if [[ $group == viewer ]] && ! command -v npm >/dev/null; then wanted+=" nodejs npm"; fi
  for package in $wanted; do
    # By architecture ("amd64"), several answers may come; one that is installed is enough.
    state=$(dpkg-query -W -f='${db:Status-Status}\n' "$package" 2>/dev/null || true)
    if ! grep -qx installed <<<"$state"; then missing+=("$package"); fi
  done
done

if [[ ${#missing[@]} -eq 0 ]]; then exit 0; fi

as_root=()
if [[ $(id -u) -ne 0 ]]; then
  if ! command -v sudo >/dev/null; then
    echo "$0: these packages are missing, and you are neither root nor have sudo:" >&2
    echo "  apt-get install ${missing[*]}" >&2
    exit 1
  fi
  as_root=(sudo)
fi

echo "Installing: ${missing[*]}"
apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o Dpkg::Use-Pty=0)
"${apt[@]}" update
"${apt[@]}" install --no-install-recommends "${missing[@]}"
