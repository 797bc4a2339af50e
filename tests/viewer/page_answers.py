# SPDX-License-Identifier: MIT
"""What the page of a running `memprof serve` answers: its own engine, in node (viewer/e2e/answers.mjs)."""

import json
import pathlib
import subprocess

import serving

VIEWER = pathlib.Path(__file__).resolve().parents[2] / "viewer"


def tree_of(flat):
    """A tree from its list: each node says how many children follow."""
    at, path = flat["children"], []
    for node in flat["flat"]:
        if path:
            path[-1][0][at].append(node)
            path[-1][1] -= 1
            if path[-1][1] == 0:
                path.pop()
        missing, node[at] = node[at], []
        if missing > 0:
            path.append([node, missing])
    return flat["flat"][0]


class Refused(Exception):
    pass


class Engine:
    """One process for all traces: it takes a second to start."""

    def __init__(self):
        self.process = subprocess.Popen(["node", "e2e/answers.mjs"], cwd=VIEWER, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)

    def ask(self, question):
        self.process.stdin.write(json.dumps(question) + "\n")
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline())
        if "error" in answer:
            raise Refused(answer["error"])
        return answer

    def stop(self):
        self.process.stdin.close()
        return self.process.wait(timeout=20)


class Page:
    """A trace, served and loaded. get() answers as a panel is answered."""

    def __init__(self, engine, *arguments):
        self.engine = engine
        server = serving.Server(*arguments)
        try:
            url = f"http://{server.host}:{server.port}/api/"
            other = url + "other" if "--against" in arguments else None
            self.trace = engine.ask({"index": url + "index", "other": other})["trace"]
        finally:
            self.status = server.stop()[0]

    def get(self, route, parameters=()):
        answer = self.engine.ask({"route": route, "parameters": list(parameters)})["answer"]
        if isinstance(answer, dict):
            for name, value in answer.items():
                if isinstance(value, dict) and "flat" in value:
                    answer[name] = tree_of(value)
        return answer
