#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# usage: aarch64_tests.sh FLAGS [CTEST_ARGUMENT...]
#
# The second half of check_aarch64.sh, inside the bare system: builds the preset `aarch64`, with the
# compiler's FLAGS, and runs the tests.
set -euo pipefail
cd "$(dirname "$0")/../.."

flags=$1
shift
export CMAKE_C_COMPILER_LAUNCHER=ccache CMAKE_CXX_COMPILER_LAUNCHER=ccache
build=build/aarch64
options=()
if [[ -n $flags ]]; then
  build+=${flags// /}
  options=("-DCMAKE_C_FLAGS=$flags" "-DCMAKE_CXX_FLAGS=$flags" -DMEMPROF_BUILD_TOOLS=OFF)
fi
cmake --preset aarch64 -B "$build" "${options[@]}"
nice cmake --build "$build" --parallel 2

# Programs for AArch64 that other programs start: the kernel (6.7 or newer) hands them to QEMU, in a
# namespace of ours alone. Elsewhere they do not start, and the tests that need it fail.
# shellcheck disable=SC2016
in_namespace='
  formats=/proc/sys/fs/binfmt_misc
  magic="\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00"
  mask="\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff"
  mount -t binfmt_misc binfmt_misc "$formats" &&
    printf "%s" ":qemu-aarch64:M::$magic:$mask:/usr/bin/qemu-aarch64:OCF" >"$formats/register" ||
    echo "This kernel has no binfmt_misc for a user namespace: tests that start programs fail." >&2
  exec "$@"'
excluded=$(sed -n 's/^\([^#].*\) -- .*/\1/p' scripts/lib/aarch64_excluded.txt | paste -s -d '|')
unshare --user --map-root-user --mount bash -c "$in_namespace" bash \
  nice ctest --test-dir "$build" --parallel 2 --output-on-failure --no-tests=error \
  --label-exclude '^(long|lint|package|judges|viewer|allocators|preload|record)$' --exclude-regex "^($excluded)\$" "$@"
