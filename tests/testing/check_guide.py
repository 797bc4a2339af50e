# SPDX-License-Identifier: MIT
"""usage: check_guide.py GUIDE PROGRAM SOURCE...

Every C++ block of the guide stands in one of the sources, white space apart; the program says what the
guide says that it does, names of frames and offsets apart.
"""

import os
import pathlib
import re
import subprocess
import sys

if len(sys.argv) < 4:
    sys.exit(__doc__.strip())
guide, program, *sources = sys.argv[1:]
blocks = re.findall(r"^```(\w*)\n(.*?)^```$", pathlib.Path(guide).read_text(), re.M | re.S)


def squeezed(text):
    return " ".join(text.split())


texts = [squeezed(pathlib.Path(name).read_text()) for name in sources]
shown = [text for language, text in blocks if language == "cpp"]
assert len(shown) > 3, "the guide shows no code"
for text in shown:
    if not any(squeezed(text) in source for source in texts):
        sys.exit(f"{guide} shows what stands in no source:\n{text}")

result = subprocess.run([program], text=True, capture_output=True, timeout=60)
print(result.stdout, result.stderr)
assert result.returncode == 0, result.returncode


def without_frames(text):
    return [line for line in text.splitlines() if not re.match(r"\s+#\d+ ", line)]


expected = [text for language, text in blocks if language == ""]
assert len(expected) == 1, "the guide shows one output"
assert without_frames(result.stdout)[:len(without_frames(expected[0]))] == \
    without_frames(expected[0]), "the guide shows another output"
# -O3 takes it into its caller.
inlined = os.environ["MEMPROF_BUILD_TYPE"] == "Release" and "_Rb_tree<...>::_M_emplace_hint" in result.stdout
assert inlined or "map<...>::operator[]" in result.stdout
