#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""client.py [--pausing | --seconds N] SERVER_PROGRAM: the scripted client of the server example.

Starts the server on a free loopback port and sends it good and runaway requests together. Checks
that every good one gets its right answer (computed here, by Python's own integers), that every
runaway is cut by the limit it should hit, that the counters at /metrics agree with what was seen,
and that the server stops cleanly while a task runs. With --pausing the server pauses requests at a
soft budget: good ones that need more than it, and together more than there is, must all be answered,
and each have been paused once. With --seconds it sends the requests again and again, and prints the
counts and the server's resident memory. Prints a table; exit status 0 if all was right.
"""
import collections
import concurrent.futures
import http.client
import itertools
import json
import math
import os
import random
import subprocess
import sys
import threading
import time
import urllib.parse

PRIME = 1_000_000_007
CLIENTS = 32            # requests at a time
TIMEOUT = 125           # seconds for any one answer
SERVER_DEADLINE = 100   # seconds; longer than any task is left alone, also where much else runs
SERVER_PATIENCE = 1     # seconds until the server closes a connection on which no request came (main.cpp)


Case = collections.namedtuple("Case", "kind expression parameters status expected")


def good_cases():
    """Expressions and their values, as Python computes them."""
    values = {
        "2^100": 2**100,
        "30!": math.factorial(30),
        "300! / 297!": 300 * 299 * 298,
        "(3^200 - 1) % 1000003": (3**200 - 1) % 1000003,
        "2^3^2 - 7*(4 - 9)": 2**9 + 35,
        "-(17^12) + 5": -(17**12) + 5,
        "sum(i = 1..1000, i^3)": sum(i**3 for i in range(1, 1001)),
        "prod(k = 1..20, 2*k - 1)": math.prod(2 * k - 1 for k in range(1, 21)),
        "sum(i = 1..30, sum(j = 1..i, i*j))": sum(i * j for i in range(31) for j in range(1, i + 1)),
        "prod(i = 5..4, i) + sum(i = 5..4, i)": 1,
        "7^5000": 7**5000,
        "1000!": math.factorial(1000),
    }
    for n in range(2, 26):
        values[f"{n}^{n} + {n}! - sum(i = 1..{n}, {n}^i)"] = (
            n**n + math.factorial(n) - sum(n**i for i in range(1, n + 1)))
    return [Case("good", text, {}, 200, value) for text, value in values.items()]


def runaway_cases():
    cases = []
    for n in range(1, 9):
        # Little at a time, and much in all.
        cases.append(Case("allocations", f"sum(i = 1..10^9, 3^20000 % (i + {n}))", {}, 422, None))
        # A number of 440 MB and more.
        cases.append(Case("memory", f"2^(3^20) + {n}", {}, 422, None))
        # Loops that allocate next to nothing: only the clock or a client can end them.
        cases.append(Case("deadline", f"sum(i = 1..10^15, i*i + {n})", {"deadline": 1500}, 408,
                          None))
        cases.append(Case("token", f"prod(i = 1..10^15, {n}*i - {n}*i)", {}, 409, None))
    return cases


def invalid_cases():
    return [Case("invalid", text, parameters, 400, None) for text, parameters in (
        ("1/0", {}), ("2 +", {}), ("(" * 5000, {}), ("2^-1", {}), ("x", {}), ("2^2^100", {}),
        ("1", {"memory": "much"}))]


class Service:
    """The server's process, and requests to it."""

    def __init__(self, program, *options):
        self.process = subprocess.Popen([program, "--deadline", str(SERVER_DEADLINE * 1000), *options],
                                        stdout=subprocess.PIPE, text=True)
        line = self.process.stdout.readline().strip()
        if not line.startswith("listening on http://127.0.0.1:"):
            self.process.kill()
            raise RuntimeError(f"the server did not start: {line!r}")
        self.port = int(line.rsplit(":", 1)[1])
        self.late = 0  # how many requests were sent again; about, as threads do not wait for each other

    def request(self, method, path, body=None):
        """The status and the text of the answer. Where this process was so late with a request, for want of a
        processor, that the server had closed the connection, it is sent again: the server has not read it, which
        its counters must confirm in the end (check_counters)."""
        while True:
            connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=TIMEOUT)
            start = sent = time.monotonic()
            try:
                try:
                    connection.request(method, path, body, {"Connection": "close"})
                finally:
                    sent = time.monotonic()
                response = connection.getresponse()
                return response.status, response.read().decode()
            except (BrokenPipeError, ConnectionResetError):
                if sent - start < SERVER_PATIENCE:
                    raise
                self.late += 1
            finally:
                connection.close()

    def tasks(self):
        return json.loads(self.request("GET", "/tasks")[1])

    def metrics(self):
        """{'name{label="value"}': number}; every sample must follow HELP and TYPE of its family."""
        samples, family = {}, None
        for line in self.request("GET", "/metrics")[1].splitlines():
            if line.startswith("# TYPE "):
                family = line.split()[2]
            elif not line.startswith("# HELP "):
                name, value = line.rsplit(" ", 1)
                if name.split("{")[0] != family or name in samples:
                    raise ValueError(f"/metrics: unexpected line {line!r}")
                samples[name] = float(value)
        return samples


def evaluate(service, case, runaways):
    """One request: (case, answer, what is wrong or None, milliseconds, runaways that ran then)."""
    path = "/evaluate?" + urllib.parse.urlencode(case.parameters)
    runaway = case.kind not in ("good", "invalid")
    runaways.change(+1 if runaway else 0)
    start = time.monotonic()
    try:
        status, text = service.request("POST", path, case.expression)
        answer = json.loads(text)
        wrong = problem(case, status, answer)
    except (OSError, ValueError, http.client.HTTPException) as error:
        answer, wrong = {}, f"{type(error).__name__}: {error}"
    milliseconds = (time.monotonic() - start) * 1000
    return case, answer, wrong, milliseconds, runaways.change(-1 if runaway else 0)


def problem(case, status, answer):
    """What is wrong with an answer; None if it is right."""
    if status != case.status:
        return f"status {status}, not {case.status}: {answer}"
    if case.kind == "invalid":
        return None
    if case.kind != "good":
        if answer["limit"] != case.kind or not answer["message"]:
            return f"cut by the limit '{answer['limit']}', not '{case.kind}'"
        if case.kind == "token" and answer["reason"] != "seen running":
            return f"reason {answer['reason']!r}"
        return None
    residue = abs(case.expected) % PRIME * (-1 if case.expected < 0 else 1)
    right = {"bits": case.expected.bit_length(), "residue": str(residue),
             "value": str(case.expected) if case.expected.bit_length() <= 8192 else None}
    found = {key: answer[key] for key in right}
    return None if found == right else f"{found}, not {right}"


class RunawayCount:
    """Number of runaways that are being evaluated."""

    def __init__(self):
        self.lock, self.number = threading.Lock(), 0

    def change(self, by):
        with self.lock:
            self.number += by
            return self.number


def cancel_products(service, stop):
    """Cancels, as an operator would, every product seen in /tasks that has run for half a second."""
    while not stop.wait(0.1):
        for task in service.tasks():
            if task["expression"].startswith("prod(i = 1..10^15") and task["age_ms"] > 500:
                service.request("DELETE", f"/tasks/{task['id']}?reason=seen+running")


def check_counters(service, results):
    """What is wrong with /metrics and /tasks after `results`; a list of complaints."""
    complaints = []
    metrics = service.metrics()
    outcomes = collections.Counter(case.kind for case, *_ in results)
    outcomes["ok"] = outcomes.pop("good")
    deliveries = collections.Counter()
    for case, answer, *_ in results:
        deliveries[case.kind] += answer.get("deliveries", 0)
    wanted = {f'evaluator_requests_total{{outcome="{o}"}}': n for o, n in outcomes.items()}
    wanted.update({f'memprof_limit_interrupts_total{{limit="{kind}"}}': deliveries[kind]
                   for kind in ("allocations", "memory", "deadline", "token", "global memory")})
    wanted["evaluator_running_tasks"] = 0
    for name, number in wanted.items():
        if metrics.get(name) != number:
            complaints.append(f"/metrics: {name} is {metrics.get(name)}, not {number}")
    if service.tasks():
        complaints.append("/tasks: not empty")
    if service.request("DELETE", "/tasks/999999")[0] != 404:
        complaints.append("DELETE of an unknown task: not 404")
    if "POST" not in service.request("GET", "/")[1]:
        complaints.append("GET /: no help")
    return complaints


def check_shutdown(service):
    """Stops the server while a task runs: it must be answered, and the exit status be 0."""
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        last = pool.submit(service.request, "POST", "/evaluate", "sum(i = 1..10^15, i)")
        while not service.tasks():
            time.sleep(0.02)
        service.process.terminate()
        status, text = last.result(timeout=TIMEOUT)
        code = service.process.wait(timeout=TIMEOUT)
    if status == 409 and json.loads(text)["reason"] == "the server stops" and code == 0:
        return []
    return [f"shutdown: answer {status} {text}, exit status {code}"]


def print_table(results):
    print(f"{'kind':<14}{'requests':>9}{'right':>7}{'slowest ms':>12}   an answer")
    for kind in ("good", "invalid", "allocations", "memory", "deadline", "token"):
        rows = [r for r in results if r[0].kind == kind]
        case, answer = rows[0][:2]
        sample = answer.get("message") or f"{case.expression} = {answer.get('value')}"
        print(f"{kind:<14}{len(rows):>9}{sum(r[2] is None for r in rows):>7}"
              f"{max(r[3] for r in rows):>12.0f}   {sample}")
    beside = sum(1 for case, _, _, _, others in results if case.kind == "good" and others > 0)
    print(f"\n{beside} of the good requests were answered while runaways were running")


def send(service, cases):
    """All of them, CLIENTS at a time: what `evaluate` returned for each."""
    runaways, stop = RunawayCount(), threading.Event()
    canceller = threading.Thread(target=cancel_products, args=(service, stop))
    canceller.start()
    try:
        with concurrent.futures.ThreadPoolExecutor(CLIENTS) as pool:
            return list(pool.map(lambda case: evaluate(service, case, runaways), cases))
    finally:
        stop.set()
        canceller.join()


def complaints_of(service, results):
    complaints = [f"{case.expression}: {wrong}" for case, _, wrong, *_ in results if wrong]
    return complaints + check_counters(service, results) + check_shutdown(service)


def run(service):
    cases = good_cases() + runaway_cases() + invalid_cases()
    random.Random(4).shuffle(cases)
    results = send(service, cases)
    print_table(results)
    return complaints_of(service, results)


def resident_mib(process):
    with open(f"/proc/{process.pid}/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE") / 2**20


def most_gained_mib(process):
    """What the server may gain although it loses nothing: for each thread 360 KiB of stack, which a deeply nested
    request touches, and 231 KiB in malloc's caches (7 blocks of each of 64 sizes); and 16 MiB in malloc's arenas."""
    threads = len(os.listdir(f"/proc/{process.pid}/task"))
    return threads * (360 + 231) / 1024 + 16


def run_for(service, seconds):
    """Load for so long, and a third of that before the memory is looked at for the first time."""
    results, first = [], None
    start = time.monotonic()
    for number in itertools.count():
        cases = good_cases() + runaway_cases() + invalid_cases()
        random.Random(number).shuffle(cases)
        results += send(service, cases)
        passed = time.monotonic() - start
        if first is None and passed >= seconds / 3:
            first = resident_mib(service.process)
        if passed >= seconds * 4 / 3:
            break
    last, most = resident_mib(service.process), most_gained_mib(service.process)
    good = [wrong for case, _, wrong, *_ in results if case.kind == "good"]
    runaways = [wrong for case, _, wrong, *_ in results if case.kind not in ("good", "invalid")]
    # scripts/servers.py reads this.
    print(f"good {len(good)}, of these wrong {len(good) - good.count(None)}; runaways stopped "
          f"{runaways.count(None)}, not {len(runaways) - runaways.count(None)}; resident {first:.1f} MiB, "
          f"then {last:.1f} MiB")
    grown = [f"resident memory: {last - first:.1f} MiB more, not at most {most:.1f}"] if last - first > most else []
    return grown + complaints_of(service, results)


def run_pausing(service):
    """Requests of which only one at a time may have what it needs, among small and bad ones."""
    large = [Case("good", f"3^1000000 % {1000003 + n}", {}, 200, 3**1000000 % (1000003 + n))
             for n in range(12)]
    # Beyond the hard limit, too: cut after it was paused.
    beyond = [Case("memory", f"2^(3^20) + {n}", {}, 422, None) for n in range(2)]
    cases = large + beyond + good_cases() + invalid_cases()
    random.Random(5).shuffle(cases)
    runaways = RunawayCount()
    with concurrent.futures.ThreadPoolExecutor(CLIENTS) as pool:
        results = list(pool.map(lambda case: evaluate(service, case, runaways), cases))
    complaints = [f"{case.expression}: {wrong}" for case, _, wrong, *_ in results if wrong]
    pauses = service.metrics().get("evaluator_pauses_total")
    print(f"{len(results)} requests, {len(results) - len(complaints)} right, {pauses:.0f} paused")
    if pauses != len(large) + len(beyond):
        complaints.append(f"{pauses} requests were paused, not {len(large) + len(beyond)}")
    return complaints + check_shutdown(service)


def main():
    pausing = sys.argv[1:2] == ["--pausing"]
    seconds = int(sys.argv[2]) if sys.argv[1:2] == ["--seconds"] and sys.argv[2:] else 0
    arguments = sys.argv[2 if pausing else 3 if seconds else 1:]
    if len(arguments) != 1:
        print(f"usage: {sys.argv[0]} [--pausing | --seconds N] SERVER_PROGRAM", file=sys.stderr)
        return 2
    start = time.monotonic()
    # Of the good requests of the first run none needs 96 KiB at a time.
    options = ["--soft-memory", "96KiB", "--memory", "4MiB", "--reserve", "4MiB"] if pausing else []
    service = Service(arguments[0], *options)
    try:
        if pausing:
            complaints = run_pausing(service)
        elif seconds:
            complaints = run_for(service, seconds)
        else:
            complaints = run(service)
    finally:
        service.process.kill()
        service.process.wait()
    if service.late > 0:
        print(f"{service.late} requests were sent again: over {SERVER_PATIENCE} s had passed since the connection")
    for complaint in complaints:
        print("WRONG:", complaint)
    print(f"{len(complaints)} complaints, {time.monotonic() - start:.1f} s")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
