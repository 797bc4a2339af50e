# SPDX-License-Identifier: MIT
"""What scripts/check_binary.py knows of ELF, unwind tables and DWARF; the standard library suffices."""
