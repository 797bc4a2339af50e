// SPDX-License-Identifier: MIT
//
// Library code without an allocator of its own, interrupted at each point.
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "memprof/memprof.hpp"

#include "support/allocate.hpp"
#include "support/catch2.hpp"
#include "testing/check_report.hpp"

namespace memprof::test {
namespace {

using testing::failure_kind;
using testing::for_each_interrupt;

TEST_CASE("containers: what has no allocator of its own", "[testing]") {
  CHECK_REPORT(for_each_interrupt([] {
    std::string const text = "a text that does not fit into the string itself";
    std::function<std::string(std::string const&)> const f = [text](std::string const& more) {
      return text + more;
    };
    auto const g = f;
    std::vector<std::unique_ptr<std::string>> owned;
    for (int i = 0; i < 5; ++i) owned.push_back(std::make_unique<std::string>(g(text)));
    std::vector<std::shared_ptr<std::string>> shared;
    for (auto const& p : owned) shared.push_back(std::make_shared<std::string>(*p));
    static_cast<void>(std::to_string(1e300));
  }));
}

TEST_CASE("containers: a pointer owned one step too late is found", "[testing]") {
  auto const r = for_each_interrupt([] {
    std::vector<std::unique_ptr<int>> owned;
    for (int i = 0; i < 3; ++i) {
      int* raw = new int(i);
      asm volatile("" : "+r"(raw));  // not to be left out
      owned.emplace_back(raw);       // leaks when the vector grows
    }
  });
  INFO(r.message());
  REQUIRE_FALSE(r.ok());
  CHECK(r.first_failure->what == failure_kind::leak);
  CHECK(r.first_failure->ordinal == 2);
}

}  // namespace
}  // namespace memprof::test
