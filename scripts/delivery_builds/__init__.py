# SPDX-License-Identifier: MIT
"""How scripts/delivery_matrix.py builds tests/delivery: with which compilers, in which configurations."""
