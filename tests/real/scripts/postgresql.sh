#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# needs: setpriv
# A cluster made, loaded, asked in parallel, one backend killed, stopped; recorded with more questions by
# tests/record/cluster_test.py.
set -euo pipefail
bin=$(find /usr/lib/postgresql /usr/local/pgsql -name initdb -printf '%h\n' 2> /dev/null | sort | tail -n 1 || true)
[[ -n $bin ]] || { echo "skipped: PostgreSQL is not installed"; exit 0; }
as=()
if [[ $(id -u) == 0 ]]; then
  id postgres > /dev/null 2>&1 || { echo "skipped: there is no user postgres"; exit 0; }
  chown postgres .
  chmod 755 .
  as=(setpriv --reuid=postgres --regid=postgres --clear-groups)
fi
run() { "${as[@]}" env HOME="$PWD" "$@"; }
ask() { run "$bin/psql" -h "$PWD" -U me -At -c "$1" postgres; }
run "$bin/initdb" -D data -A trust -U me --no-sync > /dev/null
run "$bin/pg_ctl" -D data -w -l log -o "-k $PWD -c listen_addresses= -c fsync=off" start > /dev/null
run "$bin/pgbench" -h "$PWD" -U me -i -q postgres > /dev/null 2>&1
run "$bin/pgbench" -h "$PWD" -U me -c 4 -j 2 -t 100 postgres 2> /dev/null | grep 'actually processed\|failed'
ask "select sum(abalance) = (select sum(bbalance) from pgbench_branches) from pgbench_accounts"
ask "set max_parallel_workers_per_gather=4; set parallel_setup_cost=0; set parallel_tuple_cost=0;
  set min_parallel_table_scan_size=0; select count(*), sum(aid) from pgbench_accounts where aid % 7 = 3"
run "$bin/psql" -h "$PWD" -U me -c 'select pg_sleep(100)' postgres > /dev/null 2>&1 &
for _ in $(seq 600); do
  pid=$(ask "select pid from pg_stat_activity where query like 'select pg_sleep%'")
  [[ -n $pid ]] && break
  sleep 0.05
done
kill -9 "$pid"
wait $! || true
for _ in $(seq 600); do run "$bin/pg_isready" -q -h "$PWD" && break; sleep 0.1; done
ask "select count(*) from pgbench_accounts"
run "$bin/pg_ctl" -D data -m fast -s -w stop
