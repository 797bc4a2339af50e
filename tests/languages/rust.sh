#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# Builds and runs limits.rs. $RUSTC: the compiler; $MEMPROF_PRELOAD: the preload library.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)

"$RUSTC" --edition 2021 -O -o limits_rs "$here/limits.rs" -C link-args="$MEMPROF_PRELOAD"
LD_PRELOAD=$MEMPROF_PRELOAD ./limits_rs
