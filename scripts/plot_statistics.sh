#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# usage: plot_statistics.sh
#
# Draws the plots of docs/statistical.md anew, into docs/statistical/: builds the program that computes
# and measures (preset release), and runs gnuplot. Installs what is missing. Minutes.
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/install_dependencies.sh build plots
cmake --preset release -DMEMPROF_BUILD_BENCHMARKS=ON
cmake --build build/release --target memprof-benchmark-statistics
data=$(mktemp -d)
trap 'rm -rf "$data"' EXIT
build/release/benchmarks/memprof-benchmark-statistics "$data"
mkdir -p docs/statistical
gnuplot -e "data='$data'; out='docs/statistical'" scripts/statistics/plots.gp
