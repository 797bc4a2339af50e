#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# needs: sqlite3
set -euo pipefail
sqlite3 data.db "
  create table t(id integer primary key, name text, value real);
  with recursive n(i) as (select 1 union all select i + 1 from n where i < 30000)
    insert into t select i, 'name ' || (i * 7919 % 30000), i / 3.0 from n;
  create index by_name on t(name);
  select count(*), sum(value), min(name), max(name) from t;
  select name, count(*) from t group by substr(name, -2) order by 2 desc, 1 limit 5;
  delete from t where id % 3 = 0; vacuum; pragma integrity_check;
  select count(*), sum(length(name)) from t a where exists (select 1 from t b where b.name = a.name);"
sqlite3 data.db .dump | sha256sum
for i in 1 2 3 4; do sqlite3 -cmd '.timeout 60000' data.db "insert into t(name) values('by $i')" & done
wait
sqlite3 data.db "select count(*) from t where name like 'by %'"
sqlite3 data.db "select nothing" 2> /dev/null || echo "status $?"
