// SPDX-License-Identifier: MIT
#include <memory>
#include <sqlite3.h>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/require.hpp"
#include "support/situation.hpp"

namespace {

using memprof::test::require;

struct closes {
  void operator()(sqlite3* db) const noexcept {
    require(sqlite3_close(db) == SQLITE_OK, "a statement is still open");
  }
  void operator()(sqlite3_stmt* s) const noexcept { sqlite3_finalize(s); }
};
using connection = std::unique_ptr<sqlite3, closes>;
using statement = std::unique_ptr<sqlite3_stmt, closes>;

connection open() {
  sqlite3* db = nullptr;
  require(sqlite3_open(":memory:", &db) == SQLITE_OK, "open");
  return connection(db);
}

statement prepare(connection const& db, std::string const& sql) {
  sqlite3_stmt* s = nullptr;
  if (sqlite3_prepare_v2(db.get(), sql.c_str(), -1, &s, nullptr) != SQLITE_OK) {
    throw std::runtime_error(sqlite3_errmsg(db.get()));
  }
  return statement(s);
}

// C++ around it, and C++ called by it.
MEMPROF_SITUATION(sqlite, either) {
  auto const db = open();
  auto const create = prepare(db, "create table t(number integer, a_column_with_a_long_name text)");
  sqlite3_step(create.get());
  auto const insert = prepare(db, "insert into t(number, a_column_with_a_long_name) values(?, ?)");
  for (int i = 0; i < 5; ++i) {
    std::string const text(40, static_cast<char>('a' + i));
    sqlite3_bind_int(insert.get(), 1, i);
    sqlite3_bind_text(insert.get(), 2, text.c_str(), -1, SQLITE_TRANSIENT);
    sqlite3_step(insert.get());
    sqlite3_reset(insert.get());
  }
  std::vector<std::string> seen;
  auto const row = [](void* to, int, char** values, char**) {
    static_cast<std::vector<std::string>*>(to)->emplace_back(values[1]);
    return 0;
  };
  sqlite3_exec(db.get(), "select * from t order by number desc", row, &seen, nullptr);
  require(seen.size() == 5 && seen[0][0] == 'e', "rows");
}

}  // namespace
