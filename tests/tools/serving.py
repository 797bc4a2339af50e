# SPDX-License-Identifier: MIT
"""A running `memprof serve`, for its tests."""

import http.client
import json
import os
import re
import signal
import subprocess
import urllib.parse

import traces

COMMAND = os.environ["MEMPROF_COMMAND"]


class Server:
    """A running `memprof serve`; stop() ends it as a user does."""

    def __init__(self, *arguments, environment=None):
        self.process = subprocess.Popen(
            [COMMAND, "serve", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            cwd=traces.FOLDER, env=environment)
        line = self.process.stdout.readline()
        match = re.match(r"Serving at http://([^/]*):(\d+)/", line)
        if not match:
            self.process.kill()
            raise RuntimeError(line + self.process.stderr.read())
        self.host, self.port = match[1].strip("[]"), int(match[2])

    def raw(self, path, method="GET", headers=None, host=None):
        """(status, headers, body)"""
        connection = http.client.HTTPConnection(self.host, self.port, timeout=60)
        try:
            connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
            connection.putheader("Host", host or f"{self.host}:{self.port}")
            for name, value in (headers or {}).items():
                connection.putheader(name, value)
            connection.endheaders()
            answer = connection.getresponse()
            return answer.status, dict(answer.getheaders()), answer.read()
        finally:
            connection.close()

    def get(self, route, parameters=()):
        status, _, body = self.raw(route + "?" + urllib.parse.urlencode(list(parameters)))
        assert status == 200, (route, parameters, body)
        return json.loads(body)

    def text(self, route, parameters=()):
        status, _, body = self.raw(route + "?" + urllib.parse.urlencode(list(parameters)))
        assert status == 200, (route, parameters, body)
        return body.decode()

    def stop(self, number=signal.SIGTERM):
        self.process.send_signal(number)
        out, err = self.process.communicate(timeout=20)
        return self.process.returncode, out, err


def parameters_of(options):
    """Options of the command line as parameters of a request."""
    result, i = [], 0
    while i < len(options):
        name = options[i].removeprefix("--")
        if "=" in name:
            name, value = name.split("=", 1)
            result.append((name, value))
        elif name in ("live-at-peak", "live-at-end", "never-collected"):
            result.append((name, "1"))
        elif name.endswith("-between"):
            base = name.removesuffix("between")
            result += [(base + "after", options[i + 1]), (base + "before", options[i + 2])]
            i += 2
        else:
            result.append((name, options[i + 1]))
            i += 1
        i += 1
    return result


def close(a, b):
    return abs(a - b) <= 1e-9 * max(abs(a), abs(b), 1e-300)
