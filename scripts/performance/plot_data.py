# SPDX-License-Identifier: MIT
"""Tables for gnuplot from the results of the benchmarks.

usage: plot_data.py FOLDER

Reads growth.json and processes.json there, those that are there, and writes growth.tsv and processes.tsv.
"""

import json
import pathlib
import sys

# Of each subject of growth what is drawn, in the order of the plots of growth.gp.
CURVES = [
    ("heap", "pair ns", "live heap, bytes"),
    ("samples", "pair ns at 1e-4", "live samples, pairs at 1e-4"),
    ("samples", "sampled pair ns", "live samples, sampled pairs"),
    ("threads", "pair ns", "threads"),
    ("nested", "enter ns", "nested scopes, to enter one"),
    ("nested", "pair ns at 1e-2", "nested scopes, pairs at 1e-2"),
    ("sequential", "scope with a pair ns", "scopes one after the other"),
    ("depth", "sampled pair ns", "frames, sampled pairs"),
]
COLUMNS = ["A/A", "linked, idle", "linked, with stacks", "preload, idle", "preload, with stacks"]


def growth(subjects):
    """Blocks of "size, bare, with", one for each curve; the first line of each is its title."""
    blocks = []
    for subject, finding, title in CURVES:
        lines = [f'"{title}"']
        for row in subjects.get(subject, []):
            lines.append(f"{row['size']}\t{row['bare'][finding]}\t{row['with'][finding]}")
        if len(lines) == 1:
            lines.append("1\tNaN\tNaN")
        blocks.append("\n".join(lines))
    return "\n\n\n".join(blocks) + "\n"


def processes(workloads):
    """A line for each workload: its name, then median, low, high of each column."""
    lines = ["workload\t" + "\t".join(f'"{name}"\tlow\thigh' for name in COLUMNS)]
    for name, row in workloads.items():
        if name.endswith(", CPU"):
            continue
        cells = [f"{row['ratios'][column][key]:.5f}" for column in COLUMNS
                 for key in ("median", "low", "high")]
        lines.append("\t".join([name] + cells))
    return "\n".join(lines) + "\n"


def main():
    folder = pathlib.Path(sys.argv[1])
    for name, part, to_table in (("growth", "subjects", growth), ("processes", "workloads", processes)):
        file = folder / f"{name}.json"
        if file.exists():
            found = json.loads(file.read_text(encoding="utf-8"))
            if found.get(part):
                (folder / f"{name}.tsv").write_text(to_table(found[part]), encoding="utf-8")


if __name__ == "__main__":
    main()
