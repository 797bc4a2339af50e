#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# usage: install_dependencies.sh [GROUP...]
#
# Installs the Debian packages that memprof needs, those that are missing, with apt. Groups, the first
# six if none is named:
#   build        the library and the command memprof
#   test         the tests
#   examples     the examples
#   viewer       the page of memprof serve and a browser for its tests. node 20 and npm 9 are newer than
#                Debian 12 has: without them the command is built without its page
#   clang        the presets clang-* and tsan
#   compilers    every other compiler that is supported and that the release has, for the delivery matrix
#   allocators   the tests over other allocators
#   judges       the tools that judge what `memprof convert` writes (400 MB; tests without are skipped)
#   languages    Rust and Go, for tests/languages (740 MB; without, their tests are left out)
#   containers   the libraries that scripts/container_survey.py interrupts (without, tests are left out; 150 MB)
#   servers      gRPC, for tests/servers (without, its tests are left out; 55 MB)
#   drogon       Drogon, for tests/servers, where the release has it (without, its test is left out)
#   real         the programs of tests/real (1 GB; those that are missing are skipped)
#   plots        to draw the plots of docs/statistical.md and docs/performance.md again
#   peers        what the benchmarks compare with: other allocators that sample, heaptrack, OCaml
set -euo pipefail

# What a group needs, whatever release of Debian this is. A need is a package; or several with | between
# them, of which the first that apt has will do; name>=version: no older one; ? at the end: done without
# where apt has none.
declare -A packages=(
  [build]="cmake ninja-build g++ pkg-config libboost-context1.81-dev|libboost-context-dev>=1.81
    libcli11-dev libfmt-dev nlohmann-json3-dev libdw-dev libiberty-dev zlib1g-dev
    systemtap-sdt-dev?"
  [test]="catch2 libboost1.81-dev|libboost-dev>=1.81 python3 clang-format-14? codespell shellcheck git mandoc
    sqlite3 libsqlite3-dev libexpat1-dev libxml2-dev liblua5.4-dev libginac-dev nlohmann-json3-dev
    libzydis-dev? libspdlog-dev?"
  [examples]="python3 libboost1.81-dev|libboost-dev>=1.81 libginac-dev libcpp-httplib-dev
    nlohmann-json3-dev"
  [viewer]="chromium python3"
  [clang]="clang-19 libclang-rt-19-dev"
  [compilers]="g++-13? g++-14? g++-15? clang-16? clang-17? clang-18? clang-19? libc++-19-dev?
    libc++abi-19-dev?"
  [allocators]="libjemalloc2 libtcmalloc-minimal4|libtcmalloc-minimal4t64 libmimalloc2.0|libmimalloc3"
  [judges]="prometheus heaptrack redis-server redis-tools babeltrace2 golang-go golang-github-google-pprof-dev
    valgrind nodejs librsvg2-bin protobuf-compiler libopentelemetry-proto-dev>=1.9?
    gdb bpftrace? debuginfod? zsh fish"
  [languages]="rustc? golang-go?"
  [containers]="pkg-config libabsl-dev? libprotobuf-dev? libboost1.81-dev|libboost-dev
    libtsl-hopscotch-map-dev? robin-map-dev? libtsl-ordered-map-dev? libsparsehash-dev? qtbase5-dev?
    libeigen3-dev? libre2-dev? libfmt-dev libspdlog-dev? nlohmann-json3-dev rapidjson-dev? libsimdjson-dev?
    libyaml-cpp-dev? libpugixml-dev? libtinyxml2-dev? libtomlplusplus-dev? libjsoncpp-dev?
    libopencv-core-dev? librocksdb-dev? libantlr4-runtime-dev? libtbb-dev? libmagick++-dev?
    libz3-dev?"
  [servers]="pkg-config libgrpc++-dev? libprotobuf-dev? protobuf-compiler-grpc? protobuf-compiler?"
  [drogon]="pkg-config libdrogon-dev? libjsoncpp-dev"
  [real]="perl ruby? nodejs? default-jdk-headless? openssl xz-utils bzip2 cmake make git sqlite3 redis-server?
    redis-tools? memcached? nginx-light? postgresql? gdb valgrind libpython3.11-testsuite? musl-tools?"
  [plots]="gnuplot-nox"
  [peers]="libjemalloc2 libtcmalloc-minimal4|libtcmalloc-minimal4t64
    libgoogle-perftools4|libgoogle-perftools4t64 heaptrack sqlite3 redis-server redis-tools
    ocaml-nox"
)

groups=("$@")
if [[ ${#groups[@]} -eq 0 ]]; then groups=(build test examples viewer clang allocators); fi

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
  echo "$0: this is no Debian: install what cmake/dependencies.cmake lists, then run cmake." >&2
  exit 1
fi

# installed_version PACKAGE: nothing if it is not installed. By architecture ("amd64") several answers may
# come; one that is installed is enough.
installed_version() {
  dpkg-query -W -f='${db:Status-Status} ${Version}\n' "$1" 2>/dev/null |
    awk '$1 == "installed" && !found { print $2; found = 1 }' || true
}

# available_version PACKAGE: what apt would install; nothing if it has none. A name with a + that no package
# has is a regular expression to apt, which then answers for others.
available_version() {
  LC_ALL=C apt-cache policy "$1" 2>/dev/null |
    awk -v heading="$1:" '/^[^ ]/ { ours = $0 == heading }
      ours && $1 == "Candidate:" && $2 != "(none)" { print $2 }' || true
}

# first_of NEED VERSION_OF: the first package of a need of which VERSION_OF knows a version that will do.
first_of() {
  local alternative name least version
  for alternative in ${1//|/ }; do
    name=${alternative%%>=*}
    least=${alternative#"$name"}
    least=${least#>=}
    version=$("$2" "$name")
    if [[ -n $version ]] && { [[ -z $least ]] || dpkg --compare-versions "$version" ge "$least"; }; then
      echo "$name"
      return
    fi
  done
}

missing=()
for group in "${groups[@]}"; do
  if [[ -z ${packages[$group]:-} ]]; then
    echo "$0: there is no group '$group'; the groups are: ${!packages[*]}" >&2
    exit 2
  fi
  wanted=${packages[$group]}
  # Not over what is there, from elsewhere.
  if [[ $group == viewer ]] && ! command -v npm >/dev/null; then wanted+=" nodejs npm"; fi
  for need in $wanted; do
    if [[ -z $(first_of "${need%\?}" installed_version) ]]; then missing+=("$need"); fi
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

apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o Dpkg::Use-Pty=0)
"${apt[@]}" update
chosen=()
for need in "${missing[@]}"; do
  package=$(first_of "${need%\?}" available_version)
  if [[ -n $package ]]; then
    chosen+=("$package")
  elif [[ $need != *\? ]]; then
    echo "$0: apt has no package for ${need//|/ or }: this release of Debian is too old or too new" >&2
    exit 1
  fi
done
if [[ ${#chosen[@]} -eq 0 ]]; then exit 0; fi
echo "Installing: ${chosen[*]}"
"${apt[@]}" install --no-install-recommends "${chosen[@]}"
