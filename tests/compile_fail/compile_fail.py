# SPDX-License-Identifier: MIT
"""usage: compile_fail.py COMPILER INCLUDE_DIR [--without HEADER]... [OPTION OF THE COMPILER]...

What the public headers refuse. Each source beside this script

- does not compile, and the compiler says the sentence of its `// Expect: ` (`// Expect g++: ` and
  `// Expect clang: ` where they differ);
- compiles with -DMEMPROF_VALID, which is the same without the mistake. For the sake of time all of them are
  compiled together for that; so what a source defines is called like the source.
"""

import argparse
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
EXPECT = re.compile(r"^// Expect(?: (?P<compiler>g\+\+|clang))?: (?P<sentence>.+)$", re.M)
HEADER = re.compile(r'^#include "(memprof/.+)"', re.M)


def expected(text, compiler):
    """The sentence that `compiler`, "g++" or "clang", says; None if there is none."""
    for found in EXPECT.finditer(text):
        if found["compiler"] in (None, compiler):
            return found["sentence"]
    return None


class Compiler:
    """With the headers that the sources need precompiled in `folder`: a third of the time."""

    def __init__(self, program, options, headers, folder):
        self.command = [program, "-std=c++23", "-Wall", "-Wextra", "-Werror", "-Winvalid-pch", *options]
        # Plain quotation marks, no colours.
        self.environment = {**os.environ, "LC_ALL": "C"}
        version = subprocess.run([program, "--version"], capture_output=True, text=True, check=True)
        self.name = "clang" if "clang" in version.stdout else "g++"
        header = folder / "headers.hpp"
        header.write_text("".join(f'#include "{name}"\n' for name in headers), encoding="utf-8")
        compiles, said = self.run("-x", "c++-header", str(header), "-o", f"{header}.gch")
        if not compiles:
            sys.exit(f"the headers do not compile:\n{said}")
        self.command += ["-fsyntax-only",
                         *(["-include-pch", f"{header}.gch"] if self.name == "clang" else ["-include", str(header)])]

    def run(self, *arguments, stdin=""):
        """(whether it compiles, what was said)"""
        run = subprocess.run([*self.command, *arguments], input=stdin, env=self.environment,
                             capture_output=True, text=True, check=False)
        return run.returncode == 0, run.stderr


def problem_of_mistake(compiler, source):
    sentence = expected(source.read_text(encoding="utf-8"), compiler.name)
    if sentence is None:
        return f"{source.name}: does not say what to expect of {compiler.name}: // Expect: ..."
    compiles, said = compiler.run(str(source))
    if compiles:
        return f"{source.name}: compiles, and should be refused with: {sentence}"
    if sentence not in " ".join(said.split()):
        return f"{source.name}: refused, but not with: {sentence}\n{said}"
    return None


def problem_of_valid(compiler, sources):
    everything = "".join(f'#include "{source.as_posix()}"\n' for source in sources)
    compiles, said = compiler.run("-DMEMPROF_VALID", "-x", "c++", "-", stdin=everything)
    return None if compiles else f"without the mistakes they should compile, but:\n{said}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("compiler")
    parser.add_argument("include")
    parser.add_argument("--without", action="append", default=[])
    arguments, options = parser.parse_known_args()
    texts = {source: source.read_text(encoding="utf-8") for source in sorted(HERE.glob("*.cpp"))}
    sources = [source for source, text in texts.items()
               if not any(f'"{header}"' in text for header in arguments.without)]
    if not sources:
        sys.exit(f"there is no source in {HERE}")
    headers = sorted({header for source in sources for header in HEADER.findall(texts[source])})
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(2) as pool:
        compiler = Compiler(arguments.compiler, [f"-I{arguments.include}", *options], headers,
                            pathlib.Path(folder))
        valid = pool.submit(problem_of_valid, compiler, sources)
        problems = [*pool.map(lambda source: problem_of_mistake(compiler, source), sources), valid.result()]
    problems = [problem for problem in problems if problem]
    print(*problems, f"{len(sources)} mistakes: {len(problems)} problems", sep="\n")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
