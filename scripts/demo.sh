#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# Installs what is missing, builds the library and the examples, and runs the demonstration.
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/install_dependencies.sh build examples
cmake --preset demo
cmake --build --preset demo
examples/run_demo.sh build/demo
