// SPDX-License-Identifier: MIT
#include "analysis/function_table.hpp"

#include "support/catch2.hpp"

using namespace memprof::analysis;

TEST_CASE("modules of functions") {
  CHECK(module_of("Stdlib__List.map", "list.ml") == "Stdlib__List");
  CHECK(module_of("Dune__exe__Leaky", "s3/leaky.ml") == "Dune__exe__Leaky");
  CHECK(module_of("ns::box<a::b>::f", "box.cpp") == "ns::box<a::b>");
  CHECK(module_of("main", "src/main.cpp") == "main.cpp");
}
