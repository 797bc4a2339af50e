#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Servers under good and runaway load, one after the other: gRPC and Asio's coroutines (tests/servers), and HTTP
(examples/server). Prints a table: requests answered wrong, runaways that a limit stopped, crashes, and the resident
memory before and after, which a third of the load preceded.

    cmake --preset extended && cmake --build --preset extended --target server_asio server_grpc memprof-example-server
    scripts/servers.py --seconds 60 --record benchmarks/results/servers.md

scripts/soak.sh runs it for hours.

A server that was not built is left out (scripts/install_dependencies.sh servers). Ends with 1 if a good request was
answered wrong, a runaway not stopped, or a server crashed.
"""

import argparse
import datetime
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
CLIENT = ROOT / "examples" / "server" / "client.py"

# As tests/servers/load.hpp and examples/server/client.py print it.
COUNTS = re.compile(r"good (?P<good>\d+), of these wrong (?P<wrong>\d+); runaways stopped (?P<stopped>\d+), "
                    r"not (?P<not_stopped>\d+); resident (?P<first>[\d.]+) MiB, then (?P<last>[\d.]+) MiB"
                    r"(; without what glibc keeps (?P<first_held>[\d.]+) MiB, then (?P<last_held>[\d.]+) MiB"
                    r"(; in use (?P<first_used>[\d.]+) MiB, then (?P<last_used>[\d.]+) MiB, "
                    r"of which its caches (?P<cached>[\d.]+) MiB)?)?")

HEAD = """\
# Servers under good and runaway load

`scripts/servers.py --seconds {seconds}` on {date}, with limits on each request and default settings. Resident memory
is in MiB, before and after the load, which a third of it preceded; in brackets what is left after `malloc_trim`.
In use is what malloc says is, when no request is under way: it may grow by what malloc's caches of the server's threads
hold at most, 231 KiB each (`tests/servers/load.hpp`). What the HTTP server gains are stacks: each of its threads has
touched 360 KiB once it has met a deeply nested request; it may gain that and the same caches for each thread.

| server | good requests | answered wrong | runaways stopped | not stopped | crashes | resident | then | in use | then |
|---|---|---|---|---|---|---|---|---|---|
"""


def servers(build, seconds, rounds):
    """(name, program, command) of each."""
    for name, program in (("gRPC", build / "tests/servers/server_grpc"),
                          ("Asio coroutines", build / "tests/servers/server_asio")):
        yield name, program, [program, str(seconds), str(rounds)]
    program = build / "examples/memprof-example-server"
    yield "HTTP (cpp-httplib)", program, [sys.executable, CLIENT, "--seconds", str(seconds), program]


def run(command, seconds):
    """(counts or None, exit status, output)."""
    try:
        done = subprocess.run([str(c) for c in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              errors="replace", timeout=3 * seconds + 120, check=False)
    except subprocess.TimeoutExpired:
        return None, "hung", ""
    return COUNTS.search(done.stdout), done.returncode, done.stdout


def row_of(name, counts, status):
    if counts is None:
        return f"| {name} | | | | | {status} | | | | |"
    held = [f" ({counts[key]})" if counts[key] else "" for key in ("first_held", "last_held")]
    return (f"| {name} | {counts['good']} | {counts['wrong']} | {counts['stopped']} | {counts['not_stopped']} | 0 | "
            f"{counts['first']}{held[0]} | {counts['last']}{held[1]} | {counts['first_used'] or ''} | "
            f"{counts['last_used'] or ''} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build" / "dev",
                        help="a build folder with the servers (default: build/dev)")
    parser.add_argument("--seconds", type=int, default=60, help="of load for each, after a third of it to warm up")
    parser.add_argument("--rounds", type=int, default=1, help="looks at the memory, each when no request is under way")
    parser.add_argument("--record", type=pathlib.Path, help="the file for the table")
    arguments = parser.parse_args()
    failed, rows = False, []
    for name, program, command in servers(arguments.build, arguments.seconds, arguments.rounds):
        if not program.exists():
            print(f"{name}: left out, because {program} was not built", flush=True)
            continue
        counts, status, output = run(command, arguments.seconds)
        if arguments.rounds > 1:
            print("".join(line + "\n" for line in output.splitlines() if line.startswith("round ")), end="", flush=True)
        if status != 0:
            failed = True
            print(f"{name} ended with {status}:\n{output[-2000:]}", flush=True)
        rows.append(row_of(name, counts, status))
        print(rows[-1], flush=True)
    if not rows:
        sys.exit("no server was built")
    text = HEAD.format(seconds=arguments.seconds, date=f"{datetime.date.today():%-d %B %Y}") + "\n".join(rows) + "\n"
    if arguments.record:
        arguments.record.write_text(text, encoding="utf-8")
    print("\n" + text)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
