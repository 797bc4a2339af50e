# SPDX-License-Identifier: MIT
"""Programs of the tests, compiled by the compiler of this build (CXX)."""

import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest


# As clang would have it at -O1, pairs of new and delete, or malloc and free, whose block nobody reads are left out, and
# a function that ends in a call has no frame meanwhile. These tests count blocks and name functions.
PLAIN = ("-fno-builtin", "-fno-optimize-sibling-calls")


def compiled(source, *flags, name="program"):
    """The path of a C++ program, in a folder of its own which is removed after the tests of the module: call it in
    setUpModule."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="memprof-test-"))
    unittest.addModuleCleanup(shutil.rmtree, folder)
    file = folder / f"{name}.cpp"
    file.write_text(source, encoding="utf-8")
    program = folder / name
    subprocess.run([os.environ["CXX"], "-g", "-O1", *PLAIN, str(file), "-o", str(program), "-pthread", *flags],
                   check=True)
    return program
