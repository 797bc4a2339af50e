# SPDX-License-Identifier: MIT
"""Google's pprof asks a live server over HTTP: its total is the server's own, within the interval of that, and a
difference of a second has what was allocated in it."""

import os
import re
import subprocess
import threading

import judging
from judging import LiveServer
from pprof_judge import pprof


def main():
    program = pprof()
    environment = dict(os.environ, PPROF_TMPDIR=str(judging.CACHE))

    def total(url, *arguments):
        answer = subprocess.run([program, "-top", "-unit=B", "-nodefraction=0", *arguments, url],
                                capture_output=True, text=True, check=True, env=environment).stdout
        found = re.search(r"of (\d+)B? total", answer)
        assert found, answer
        return int(found[1]), answer

    with LiveServer() as server:
        for n in range(20):
            assert server.evaluate(f"{n + 2}^5000") == 200

        def bound(side):
            page = server.get("/metrics")[1].decode()
            name = f'memprof_allocated_bytes_bound{{side="{side}",confidence="0.95"}}'
            return float(re.search(re.escape(name) + r" (\S+)", page)[1])

        # The page before has less, the page after more: the interval between holds in any case.
        lower = bound("lower")
        allocated, text = total(server.url + "/debug/pprof/allocs", "-sample_index=alloc_space")
        assert lower <= allocated <= bound("upper"), (lower, allocated)
        assert re.search(r"example::server|boost::multiprecision|operator new|httplib", text), text
        # "inuse_space", by default; so small a server may hold no sample.
        assert "Type: inuse_space" in total(server.url + "/debug/pprof/heap")[1]

        # What requests allocate has the label of their route, and nothing else has.
        tags = subprocess.run([program, "-tags", "-sample_index=alloc_space", server.url + "/debug/pprof/allocs"],
                              capture_output=True, text=True, check=True, env=environment).stdout
        assert re.search(r"route: Total .*\n.*/evaluate", tags), tags
        focused, text = total(server.url + "/debug/pprof/allocs", "-sample_index=alloc_space",
                              "-tagfocus=route=/evaluate")
        assert 0 < focused and re.search("evaluate|multiprecision", text), text
        assert "Active filters" in text, text

        # pprof takes some time to begin: the server is asked all the while.
        judged = threading.Event()

        def evaluate():
            while not judged.is_set():
                server.evaluate("3^5000")

        worker = threading.Thread(target=evaluate)
        worker.start()
        try:
            changed, _ = total(server.url + "/debug/pprof/allocs?seconds=1")
        finally:
            judged.set()
            worker.join()
        assert 0 < changed, changed
        print(f"allocated {allocated}, in a second {changed}")


if __name__ == "__main__":
    main()
