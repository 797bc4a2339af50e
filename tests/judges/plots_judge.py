# SPDX-License-Identifier: MIT
"""librsvg draws our plots: no warning, and a picture with more than a background."""

import shutil
import struct
import subprocess
import zlib

import judging
from judging import golden


def picture(data):
    """Width, height and the filtered bytes of a PNG."""
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    at, pixels = 8, b""
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + length]
        if kind == b"IHDR":
            width, height = struct.unpack(">II", body[:8])
        if kind == b"IDAT":
            pixels += body
        at += length + 12
    return width, height, zlib.decompress(pixels)


def main():
    program = shutil.which("rsvg-convert")
    if program is None:
        judging.skip("no librsvg2-bin")
    for name in judging.traces():
        folder = judging.CACHE / "plots" / name
        golden.run("stats", golden.trace(name), "--plots", folder, "-f")
        for plot in sorted(folder.glob("*.svg")):
            result = subprocess.run([program, plot], capture_output=True, check=False)
            assert result.returncode == 0 and result.stderr == b"", (plot, result.stderr)
            width, height, pixels = picture(result.stdout)
            assert (width, height) == (840, 480), plot
            assert len(set(pixels)) > 20, plot
        print(f"{name}: drawn")


if __name__ == "__main__":
    main()
