#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# MEMPROF_GUARD=1 finds an overflow, a use after free and a double free of a program that knows nothing of memprof,
# and changes neither the end nor the output of programs without such faults.
set -euo pipefail

cat > faulty.cpp <<'END'
#include <cstdlib>
#include <cstring>
int main(int, char** arguments) {
  char* volatile text = static_cast<char*>(std::malloc(48));
  std::strcpy(text, "x");
  if (*arguments[1] == 'o') text[48] = 'x';
  std::free(text);
  if (*arguments[1] == 'u') return text[0];
  if (*arguments[1] == 'd') std::free(text);
}
END
"$CXX" -w -g faulty.cpp -o faulty

failed=0
guarded() { env LD_PRELOAD="$MEMPROF_PRELOAD" MEMPROF_GUARD=1 MEMPROF_RATE=1 "$@"; }

# expect STATUS TEXT ARGUMENT
expect() {
  local status=0
  guarded ./faulty "$3" 2> message || status=$?
  if [ "$status" != "$1" ] || ! grep -q "$2" message || ! grep -q 'main+0x.*/faulty+0x' message; then
    echo "faulty $3: status $status, not $1 and '$2':"
    cat message
    failed=1
  fi
}
expect 139 'heap overflow: .* 1 byte past the end of a block of 48 bytes' overflow
expect 139 'use after free: .* 0 bytes into a freed block of 48 bytes' use
expect 134 'double free: free() of a freed block of 48 bytes' double

same() {
  "$@" > without 2> without.err
  guarded "$@" > with 2> with.err || { echo "$1: status $?"; failed=1; }
  if ! cmp without with || ! cmp without.err with.err; then
    echo "$1: other output"
    cat with.err
    failed=1
  fi
}
same python3 -c 'import json, re, threading
tree = json.loads(json.dumps([{"k": [i] * (i % 50)} for i in range(3000)]))
threads = [threading.Thread(target=sorted, args=(list(range(10000)),)) for i in range(4)]
[t.start() for t in threads]; [t.join() for t in threads]
print(len(tree), len(re.findall("7", "".join(map(str, range(20000))))))'
same sqlite3 :memory: "CREATE TABLE t(id INTEGER PRIMARY KEY, name TEXT);
  WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
    INSERT INTO t SELECT i, 'name ' || (i * 7919 % 50000) FROM n;
  CREATE INDEX by_name ON t(name); SELECT count(*), min(name), max(name) FROM t; PRAGMA integrity_check;"
exit "$failed"
