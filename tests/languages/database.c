/* SPDX-License-Identifier: MIT */
/* SQLite under a limit: a runaway query is stopped by malloc, and the database goes on. */
#include <sqlite3.h>
#include <string.h>

#include "check.h"
#include "memprof/memprof.h"

struct query {
  sqlite3* database;
  char const* text;
  int result;
};

static void run_query(void* context) {
  struct query* query = context;
  query->result = sqlite3_exec(query->database, query->text, NULL, NULL, NULL);
}

int main(void) {
  sqlite3* database = NULL;
  CHECK(sqlite3_open(":memory:", &database) == SQLITE_OK);
  struct query make = {database, "create table t(a); insert into t values (1), (2), (3);", 0};
  memprof_limits limits = memprof_no_limits();
  limits.memory = 32 << 20;
  limits.malloc_after_hit = MEMPROF_REFUSE;
  char text[300];
  memprof_error error = memprof_error_with(text, sizeof text);
  CHECK(memprof_run(&limits, &run_query, &make, &error) == MEMPROF_OK && make.result == SQLITE_OK);

  struct query runaway = {
      database,
      "with recursive n(i) as (select 1 union all select i + 1 from n)"
      " select group_concat(printf('%.*c', 10000, 'x')) from n",
      0};
  struct query good = {database, "select sum(a) from t", 0};
  for (int i = 0; i < 3; ++i) {
    CHECK(memprof_run(&limits, &run_query, &runaway, &error) == MEMPROF_LIMIT_HIT);
    CHECK(runaway.result == SQLITE_NOMEM && error.kind == MEMPROF_MEMORY);
    CHECK(strlen(text) > 20);
  }
  for (int i = 0; i < 1000; ++i) {
    CHECK(memprof_run(&limits, &run_query, &good, &error) == MEMPROF_OK);
    CHECK(good.result == SQLITE_OK);
  }
  CHECK(sqlite3_close(database) == SQLITE_OK);
  return 0;
}
