#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# usage: check_distribution.sh [--short | --matrix] [--folder FOLDER] NAME
#
# Makes a bare Debian NAME (bookworm, trixie, sid) in a folder, with debootstrap, and does there with a
# fresh clone of the last commit what the README says: both commands, and consumers of the library in all
# ways, and installs, uses and purges the Debian packages. As root.
#   --short    in place of all that: builds everything but the page, examples and benchmarks, and runs the
#              unit tests, the delivery matrix and the tests of the packages and of tests/servers; builds
#              shared libraries by clang
#   --matrix   in their place: the delivery matrix with each compiler that the distribution has; what it
#              gives goes to benchmarks/results/delivery/NAME
#   --folder   where the system lies, and stays for the next run; build/systems/NAME unless named
# Exit status: 0 if all of it works there.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=scripts/lib/bare_system.sh
source scripts/lib/bare_system.sh

usage() {
  sed -n '4,16s/^# \{0,1\}//p' "$0" >&2
  exit 2
}

short=false
matrix=false
folder=
while [[ ${1:-} == -* ]]; do
  case $1 in
    --short) short=true ;;
    --matrix) matrix=true ;;
    --folder)
      [[ -n ${2:-} ]] || usage
      folder=$2
      shift
      ;;
    *) usage ;;
  esac
  shift
done
[[ $# -eq 1 && $1 =~ ^[a-z]+$ ]] || usage
name=$1
folder=$(realpath -m "${folder:-build/systems/$name}")

bare_system_make "$name" "$folder"

# A clone, so that nothing counts that is not committed; and nothing of an earlier check.
rm -rf --one-file-system "$folder/memprof-build"
clone=$(mktemp -d)
trap 'rm -rf "$clone"' EXIT
git clone -q . "$clone/memprof"
export BARE_SYSTEM_REPOSITORY=$clone/memprof

# step NAME COMMAND...: its output, and at the end what it came to.
report=()
failed=0
step() {
  local what=$1 started=$SECONDS result=passed
  shift
  printf '\n== %s: %s\n' "$name" "$what"
  bare_system_enter "$folder" "$@" </dev/null || result=FAILED
  [[ $result == passed ]] || failed=1
  report+=("$(printf '%-10s %-24s %5d s  %s' "$name" "$what" $((SECONDS - started)) "$result")")
}

if [[ $short == true ]]; then
  step "packages of Debian" scripts/install_dependencies.sh build test examples clang drogon
  step "configure" cmake --preset extended -DMEMPROF_BUILD_VIEWER=OFF -DMEMPROF_BUILD_EXAMPLES=OFF \
    -DMEMPROF_BUILD_BENCHMARKS=OFF
  step "build everything" cmake --build --preset extended
  step "unit, delivery, package" \
    ctest --test-dir build/dev --output-on-failure --no-tests=error -j 2 -L '^(unit|delivery|package)$'
  step "tests/servers" \
    ctest --test-dir build/dev --output-on-failure --no-tests=error -j 2 -R '^servers[.]'
  step "shared, by clang" \
    ctest --test-dir build/dev --output-on-failure --no-tests=error -R '^package[.](install|clean|shared_clang)$'
elif [[ $matrix == true ]]; then
  step "packages of Debian" scripts/install_dependencies.sh build test compilers
  step "delivery matrix" scripts/delivery_matrix.py --jobs 2 --record build/delivery
  mkdir -p "benchmarks/results/delivery/$name"
  cp "$folder"/memprof-build/delivery/*.csv "benchmarks/results/delivery/$name/"
else
  step "scripts/demo.sh" scripts/demo.sh
  step "scripts/test.sh" scripts/test.sh
  # Consumers of all kinds, by both compilers, and the Debian packages.
  step "clang, tools for packages" bash -c "scripts/install_dependencies.sh clang &&
    apt-get -q -y install --no-install-recommends dpkg-dev file && cmake --preset extended"
  step "consumers" ctest --test-dir build/dev --output-on-failure --no-tests=error -R '^package[.]'
  step "packages installed, purged" tests/package/deb_installed.sh build/dev/tests/package/deb/packages
fi

printf '\nSummary\n'
printf '  %s\n' "${report[@]}"
exit "$failed"
