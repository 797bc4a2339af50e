# SPDX-License-Identifier: MIT
"""Real programs at work: what tests and benchmarks trace. Each is a command, or a server with its load."""

import os
import pathlib
import shutil
import socket
import subprocess
import time

PYTHON_SCRIPT = """
import json, random
random.seed(7)
def make_orders(n):
    return [{"id": i, "name": "item %d" % i, "tags": ["t%d" % (i % 17)] * 3,
             "price": random.random()} for i in range(n)]
def index_by_name(orders):
    return {order["name"]: order for order in orders}
total = 0
for batch in range(ROUNDS):
    orders = make_orders(20000)
    index = index_by_name(orders)
    text = json.dumps(orders)
    total += len(text) + len(index) + len(json.loads(text))
print("bytes", total)
"""

CPP_SOURCE = """
#include <algorithm>
#include <iostream>
#include <map>
#include <regex>
#include <string>
#include <vector>
int main() {
  std::map<std::string, std::vector<int>> words;
  std::regex word("[a-z]+");
  for (std::string line; std::getline(std::cin, line);)
    for (std::sregex_iterator i(line.begin(), line.end(), word), end; i != end; ++i)
      words[i->str()].push_back(static_cast<int>(i->position()));
  for (auto& [name, places] : words) std::sort(places.begin(), places.end());
  std::cout << words.size() << '\\n';
}
"""


def sql_script(rows):
    return f"""
create table item(id integer primary key, name text, price real);
with recursive n(i) as (select 1 union all select i + 1 from n where i < {rows})
  insert into item select i, 'item number ' || i || ' of a long list', i * 1.25 from n;
create index by_name on item(name);
select count(*), sum(price), min(name), max(name) from item;
select substr(name, 1, 13) as start, count(*) from item group by start order by 2 desc, 1 limit 5;
"""


def cc1plus():
    """The compiler proper of g++, which is what allocates; None if there is none."""
    path = subprocess.run(["g++", "-print-prog-name=cc1plus"], capture_output=True, text=True,
                          check=False).stdout.strip()
    return path if os.path.isabs(path) else None


def system_python():
    """The interpreter itself, not a script in its place."""
    return subprocess.run(["python3", "-c", "import sys; print(sys.executable)"], capture_output=True,
                          text=True, check=True).stdout.strip()


class Command:
    """A program that runs by itself: the command, what it reads, and variables for it."""

    def __init__(self, name, command, stdin=b"", environment=None):
        self.name, self.command, self.stdin = name, command, stdin
        self.environment = environment or {}

    def run(self, prefix=(), environment=None):
        """Runs it; (its standard output, seconds of CPU with its children, exit status)."""
        with subprocess.Popen([*prefix, *self.command], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              env={**os.environ, **self.environment, **(environment or {})}) as process:
            output = process.communicate(self.stdin)[0]
        return output, process.returncode


def commands(directory, size=1.0):
    """The programs that are there: {name: Command}. `size` scales their work."""
    directory = pathlib.Path(directory)
    script = directory / "work.py"
    script.write_text(PYTHON_SCRIPT.replace("ROUNDS", str(max(1, round(4 * size)))), encoding="utf-8")
    source = directory / "words.cpp"
    source.write_text(CPP_SOURCE, encoding="utf-8")
    found = {"python3": Command("python3", [system_python(), str(script)],
                                environment={"PYTHONMALLOC": "malloc", "PYTHONHASHSEED": "0"})}
    if compiler := cc1plus():
        found["cc1plus"] = Command("cc1plus", [compiler, "-quiet", "-O1", "-std=c++17", "-o", "/dev/null",
                                               "-imultiarch", multiarch(), "-D_GNU_SOURCE", str(source)])
    if sqlite := shutil.which("sqlite3"):
        found["sqlite3"] = Command("sqlite3", [sqlite, ":memory:"],
                                   stdin=sql_script(int(60000 * size)).encode())
    return found


def multiarch():
    return subprocess.run(["g++", "-print-multiarch"], capture_output=True, text=True,
                          check=True).stdout.strip()


class Redis:
    """redis-server on a socket of its own, and a load on it."""

    name = "redis-server"

    def __init__(self, directory):
        self.directory = pathlib.Path(directory)
        self.socket = str(self.directory / "redis.sock")

    @staticmethod
    def there():
        return shutil.which("redis-server") is not None and shutil.which("redis-benchmark") is not None

    def command(self):
        return ["redis-server", "--port", "0", "--unixsocket", self.socket, "--save", "", "--appendonly",
                "no", "--dir", str(self.directory), "--daemonize", "no"]

    def wait_until_up(self, process, seconds=20):
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            if process.poll() is not None:
                raise RuntimeError(f"redis-server ended with status {process.returncode}")
            with socket.socket(socket.AF_UNIX) as client:
                try:
                    client.connect(self.socket)
                    return
                except OSError:
                    time.sleep(0.05)
        raise RuntimeError("redis-server does not answer")

    def load(self, requests=20000):
        """Keys of random names, lists and hashes; returns what redis-cli says of the database."""
        subprocess.run(["redis-benchmark", "-s", self.socket, "-q", "-n", str(requests), "-r", "100000",
                        "-d", "200", "-t", "set,lpush,hset,sadd,get"], check=True,
                       stdout=subprocess.DEVNULL)
        # A pipeline that is the same each time: what must not change under a tracer.
        lines = "".join(f"SET fixed:{i} {'v' * (i % 500)}\n" for i in range(2000))
        subprocess.run(["redis-cli", "-s", self.socket], input=lines.encode(), check=True,
                       stdout=subprocess.DEVNULL)
        return subprocess.run(["redis-cli", "-s", self.socket, "strlen", "fixed:1499"], check=True,
                              capture_output=True).stdout

    def stop(self):
        subprocess.run(["redis-cli", "-s", self.socket, "shutdown", "nosave"], check=False,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
