# SPDX-License-Identifier: MIT
"""What a sample costs, with its stack of about 30 frames, beside OCaml's own sampler: short-lived blocks in both,
each in a process of its own, at a rate that makes samples most of the time."""

import pathlib
import shutil
import subprocess

from variants import measuring

RATE = 1e-2
BLOCKS = 4e6
# The words that are counted for a block: 64 bytes and a header of ours; 7 words and a header of OCaml's.
WORDS = {"ours": 9, "OCaml": 8}


def compile_theirs(directory):
    """Away from the source: ocamlopt leaves files beside it. None without OCaml."""
    if not shutil.which("ocamlopt"):
        return None
    source = shutil.copy(pathlib.Path(__file__).with_suffix(".ml"), directory)
    program = pathlib.Path(directory) / "statmemprof"
    subprocess.run(["ocamlopt", "-o", program, source], check=True)
    return str(program)


def measure(options, directory):
    """Prints a table; {"ours": ns of a sample, "OCaml": ..., "ratio": ..., "control": ...}, or {}."""
    theirs = compile_theirs(directory)
    if theirs is None:
        print("\nOCaml is not installed: scripts/install_dependencies.sh peers.")
        return {}
    ours = measuring.program(options.build, "processes")
    blocks = str(int(BLOCKS * options.size))
    jobs = {}
    for when, rate in (("off", "0"), ("off again", "0"), ("on", f"{RATE:g}")):
        profile = {"MEMPROF_BENCHMARK_PROFILE": rate} if rate != "0" else {}
        jobs["ours", when] = lambda e=profile: measuring.findings([ours, "new", blocks],
                                                                 {"MEMPROF_RATE": "0", **e})["ns"]
        jobs["OCaml", when] = lambda r=rate: measuring.findings([theirs, r, blocks])["ns"]
    values = measuring.interleaved(jobs, options.rounds)
    samples = {name: [(on - off) / (1 - (1 - RATE) ** WORDS[name])
                      for on, off in zip(values[name, "on"], values[name, "off"])] for name in WORDS}
    found = {name: measuring.Ratio(each) for name, each in samples.items()}
    found["ratio"] = measuring.ratios(samples["ours"], samples["OCaml"])
    found["control"] = measuring.ratios(values["OCaml", "off again"], values["OCaml", "off"])
    found["our control"] = measuring.ratios(values["ours", "off again"], values["ours", "off"])
    print(f"\n**A sample and its stack of 30 frames, at {RATE:g}: ns; ours / OCaml's statmemprof**\n")
    heads = ["ours", "OCaml's", "ratio", "A/A, ours", "A/A, OCaml"]
    print(measuring.table(heads, [[found[key] for key in ("ours", "OCaml", "ratio", "our control", "control")]]),
          flush=True)
    return found
