#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# python3, git, sqlite3 and g++ -c of one of our own files give the same output, exit status and
# files under the preload library as without: at the default rate, with every word sampled, and off.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source_root=$(cd "$here/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

python_script='
import collections, json, re, hashlib, threading
words = collections.Counter(re.findall(r"\w+", " ".join(str(n * n % 977) for n in range(200000))))
tree = json.loads(json.dumps([{"k": [i] * (i % 50)} for i in range(5000)]))
sums = []
threads = [threading.Thread(target=lambda i=i: sums.append(sum(range(i * 1000)))) for i in range(8)]
[t.start() for t in threads]; [t.join() for t in threads]
print(words.most_common(5), len(tree), sorted(sums))
print(hashlib.sha256(("x" * 5000000).encode()).hexdigest())
'
run_python() { python3 -c "$python_script"; }

run_git() {
  local repo=$1/repo
  git init -q "$repo"
  cp -r "$source_root/src" "$repo/"
  git -C "$repo" add -A
  GIT_AUTHOR_DATE='2026-01-01T00:00:00Z' GIT_COMMITTER_DATE='2026-01-01T00:00:00Z' \
    git -C "$repo" -c user.name=t -c user.email=t@example.invalid commit -q -m one
  git -C "$repo" gc -q
  git -C "$repo" log --stat --format=%H
  git -C "$repo" fsck --full
}

run_sqlite() {
  sqlite3 "$1/data.db" "
    CREATE TABLE t(id INTEGER PRIMARY KEY, name TEXT, value REAL);
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50000)
      INSERT INTO t SELECT i, 'name ' || (i * 7919 % 50000), i / 3.0 FROM n;
    CREATE INDEX by_name ON t(name);
    SELECT count(*), sum(value), min(name), max(name) FROM t;
    SELECT name, count(*) FROM t GROUP BY substr(name, -2) ORDER BY 2 DESC, 1 LIMIT 5;
    PRAGMA integrity_check;"
}

run_compiler() {
  g++ -std=c++23 -O2 -I"$source_root/include" -I"$source_root/src/runtime" \
    -c "$source_root/src/runtime/limits/check.cpp" -o "$1/check.o"
  sha256sum < "$1/check.o"
}

# run WHAT RATE: its standard output and status in $work/WHAT.RATE
run() {
  local folder=$work/$1-$2 status=0
  mkdir "$folder"
  (
    if [ "$2" != without ]; then
      export LD_PRELOAD=$MEMPROF_PRELOAD MEMPROF_RATE=$2
    fi
    "run_$1" "$folder"
  ) > "$work/$1.$2" 2> "$work/$1.$2.err" || status=$?
  echo "status $status" >> "$work/$1.$2"
}

failed=0
for program in python git sqlite compiler; do
  run "$program" without
  grep -q '^status 0$' "$work/$program.without" || { echo "$program fails without the library, too"; cat "$work/$program.without.err"; exit 1; }
  for rate in 1e-4 0.01 1 0; do
    run "$program" "$rate"
    if cmp -s "$work/$program.without" "$work/$program.$rate" &&
       cmp -s "$work/$program.without.err" "$work/$program.$rate.err"; then
      echo "$program at rate $rate: same output"
    else
      echo "$program at rate $rate: DIFFERENT output"
      diff "$work/$program.without" "$work/$program.$rate" | head -20 || true
      head -20 "$work/$program.$rate.err"
      failed=1
    fi
  done
done
exit "$failed"
