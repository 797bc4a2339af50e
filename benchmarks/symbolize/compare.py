#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""CPU time of our resolver and of addr2line for the same random addresses of a module.

    compare.py PROGRAM MODULE [ADDRESSES [ROUNDS]]

PROGRAM is memprof-benchmark-symbolize. Prints the medians of the rounds, and their ratio.
"""

import random
import re
import resource
import statistics
import subprocess
import sys


def cpu_ms(command, text):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, input=text, stdout=subprocess.DEVNULL, text=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return 1e3 * (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def main():
    program, module = sys.argv[1:3]
    count = int(sys.argv[3]) if len(sys.argv) > 3 else 1000
    rounds = int(sys.argv[4]) if len(sys.argv) > 4 else 11
    sections = subprocess.run(["readelf", "-SW", module], capture_output=True, text=True,
                              check=True).stdout
    address, size = (int(n, 16) for n in
                     re.search(r"\] \.text +\S+ +(\S+) +\S+ +(\S+)", sections).groups())
    generator = random.Random(1)
    text = "".join(f"{address + generator.randrange(size):#x}\n" for _ in range(count))
    ours, theirs = [], []
    for _ in range(rounds):
        ours.append(cpu_ms([program, module], text))
        theirs.append(cpu_ms(["addr2line", "-a", "-i", "-f", "-C", "-e", module], text))
    a, b = statistics.median(ours), statistics.median(theirs)
    print(f"{module}: {count} addresses, ours {a:.1f} ms, addr2line {b:.1f} ms, ratio {a / b:.2f}")


if __name__ == "__main__":
    main()
