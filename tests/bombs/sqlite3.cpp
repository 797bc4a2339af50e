// SPDX-License-Identifier: MIT
#include <sqlite3.h>

#include "bomb.hpp"

int main() {
  for (char const* statement :
       {// It ends: SQLite 3.46 reports what group_concat did not get after the last row only.
        "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n LIMIT 5000000) "
        "SELECT group_concat(x || ' and so on, at some length') FROM n",
        "CREATE TABLE t AS WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) "
        "SELECT x, randomblob(1000) FROM n",
        "SELECT randomblob(900000000)"}) {
    sqlite3* db = nullptr;
    CHECK(sqlite3_open(":memory:", &db) == SQLITE_OK);
    int status = SQLITE_OK;
    bombs::defuse("SQLite", [&](char* error, std::size_t size) {
      status = sqlite3_exec(db, statement, nullptr, nullptr, nullptr);
      std::snprintf(error, size, "%s", sqlite3_errmsg(db));
    });
    CHECK(status == SQLITE_NOMEM);
    sqlite3_close(db);
  }
}
