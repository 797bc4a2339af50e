// SPDX-License-Identifier: MIT
//
// Soft limits inside malloc, where no callback may run.
#include <cstdlib>

#include "memprof/memprof.hpp"

#include "limits/with_soft.hpp"
#include "support/allocate.hpp"
#include "support/catch2.hpp"
#include "support/print_units.hpp"

namespace memprof::test {
namespace {

using namespace memprof::literals;

TEST_CASE("not called inside malloc, but at the next delivery point", "[limits][soft]") {
  exactly fixture;
  int calls = 0;
  int in_malloc = -1;
  auto const l = with_soft({.allocations = 10_kw}, 0.5, [&](auto&) { ++calls; });
  auto const r = run_limited(l, [&] {
    void* volatile block = std::malloc(56'000);
    in_malloc = calls;
    churn(1_kw);
    std::free(block);
  });
  CHECK(r);
  CHECK(in_malloc == 0);
  CHECK(calls == 1);
}

}  // namespace
}  // namespace memprof::test
