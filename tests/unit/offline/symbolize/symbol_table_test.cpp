// SPDX-License-Identifier: MIT
#include "symbolize/symbol_table.hpp"

#include "comparison.hpp"

using namespace memprof;
using memprof::test::compare;
using memprof::test::comparison;
using memprof::test::folder;
using memprof::test::raw;
using memprof::test::run;
namespace fs = std::filesystem;

TEST_CASE("symbols alone") {
  folder dir;
  const fs::path module = test::sample(dir / "sample.so");
  const fs::path whole = dir / "whole.so";
  fs::copy(module, whole);
  // BFD names a place between two functions after the first.
  SECTION(".symtab") {
    run("strip -g " + module.native());
    const comparison c = compare(dir, module, module, {}, 600, whole);
    INFO(c.first);
    CHECK(c.same_names > 550);
    CHECK(c.different == 0);
    CHECK(c.raw < 50);
  }
  SECTION(".dynsym") {
    run("strip -s " + module.native());
    const comparison c = compare(dir, module, module, {}, 600, whole);
    INFO(c.first);
    CHECK(c.same_names > 100);
    CHECK(c.different == 0);
  }
}
