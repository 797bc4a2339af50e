# SPDX-License-Identifier: MIT
"""What the benchmarks' drivers share: benchmarks/*/run.py."""
