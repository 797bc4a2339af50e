# SPDX-License-Identifier: MIT
"""pprof lists the instructions of a recorded program beside its source, whether the trace has names or addresses:
-weblist needs mappings, addresses, files and the linker's names. The flags of a mapping say what was looked up."""

import os
import pathlib
import re
import shutil
import subprocess
import tempfile

import judging
from pprof_judge import pprof

PROGRAM = """
#include <string>
#include <vector>
__attribute__((noinline)) void fill(std::vector<std::string>& rows, int n) {
  for (int i = 0; i < n; ++i) {
    rows.push_back(std::string(100, 'a'));  // here
  }
}
int main() {
  std::vector<std::string> rows;
  fill(rows, 5000);
}
"""


def main():
    program = pprof()
    compiler = shutil.which("g++")
    if compiler is None:
        judging.skip("no g++")
    memprof = os.environ["MEMPROF_COMMAND"]
    with tempfile.TemporaryDirectory() as folder:
        directory = pathlib.Path(folder)
        source = directory / "lines.cpp"
        source.write_text(PROGRAM, encoding="utf-8")
        subprocess.run([compiler, "-g", "-O1", source, "-o", directory / "lines"], check=True)
        for names in ([], ["--no-symbols"]):
            run = subprocess.run([memprof, "record", "-q", "-f", *names, "--rate", "0.1", "-o", directory / "t.ctf", "--",
                                  directory / "lines"], capture_output=True, text=True, check=False)
            if "libmemprof-preload.so is not in" in run.stderr:
                judging.skip("the preload library was not built")
            assert run.returncode == 0, run.stderr
            profile = directory / "t.pb.gz"
            subprocess.run([memprof, "convert", "--to", "pprof", "-f", "-o", profile, directory / "t.ctf"], check=True)

            def ask(*arguments, of=profile):
                result = subprocess.run([program, "-sample_index=alloc_space", *arguments, of], capture_output=True,
                                        text=True, check=True, env=dict(os.environ, PPROF_TMPDIR=folder))
                assert "Failed" not in result.stderr, result.stderr
                return result.stdout

            listed = re.search(r"(\S+)MB +6:.*// here", ask("-list=^fill$"))
            assert listed, ask("-list=^fill$")
            page = directory / "list.html"
            ask("-weblist=^fill$", f"-output={page}")
            text = re.sub(r"<[^>]*>", "", page.read_text(encoding="utf-8"))
            line = re.search(r"^ *6 .*// here.*?call", text, re.M | re.S)
            assert line and listed[1] + "MB" in line[0], text[:2000]
            mappings = ask("-raw").split("Mappings\n")[1]
            flags = {m[1]: m[2] for m in re.finditer(r"^\d+: 0x\d\S* (\S+) [0-9a-f]+ (.*)$", mappings, re.M)}
            own = flags[str(directory / "lines")]
            assert own.split() == ["[FN][FL][LN][IN]"], mappings
            library = next(f for name, f in flags.items() if "libc.so" in name)
            assert "[FN]" in library, mappings
            print(f"{' '.join(names) or 'named'}: {listed[1]} MB in the line, {len(flags)} mappings")


if __name__ == "__main__":
    main()
