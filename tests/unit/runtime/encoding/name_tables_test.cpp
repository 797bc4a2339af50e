// SPDX-License-Identifier: MIT
//
// Whether the reader finds the same names is the matter of trace/name_lists_test.cpp.
#include "encoding/name_tables.hpp"

#include <string>
#include <vector>

#include "encoding/format.hpp"
#include "support/catch2.hpp"

using namespace memprof::encoding;

TEST_CASE("name_tables: a name is new once, then its position among those used last") {
  name_tables t;
  CHECK(t.encode("a", "f").file == new_name);
  CHECK(t.encode("b", "f").file == new_name);
  CHECK(t.encode("a", "f").file == 1);
  CHECK(t.encode("a", "f").file == 0);
  CHECK(t.encode("b", "f").file == 1);
}

TEST_CASE("name_tables: functions are listed for each file by itself") {
  name_tables t;
  CHECK(t.encode("a", "f").function == new_name);
  CHECK(t.encode("b", "f").function == new_name);
  CHECK(t.encode("a", "g").function == new_name);
  CHECK(t.encode("a", "f").function == 1);
  CHECK(t.encode("b", "f").function == 0);
}

TEST_CASE("name_tables: the name used longest ago makes room") {
  name_tables t;
  std::vector<std::string> names;
  for (unsigned i = 0; i <= name_table_size; ++i) names.push_back("n" + std::to_string(i));
  for (unsigned i = 0; i < name_table_size; ++i) t.encode(names[i], "");
  CHECK(t.encode(names[0], "").file == name_table_size - 1);  // the last position, now the first
  CHECK(t.encode(names[name_table_size], "").file == new_name);
  CHECK(t.encode(names[0], "").file == 1);
  CHECK(t.encode(names[1], "").file == new_name);  // this one had been used longest ago
}
