// SPDX-License-Identifier: MIT
//
// Points where the pre-flight refuses: deferred, with the reason and the place, and never the end
// of the process. In a child each, so that a wrong "deliver" is one failure.
#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "memprof/memprof.hpp"

#include "support/allocate.hpp"
#include "support/catch2.hpp"
#include "support/print_units.hpp"
#include "testing/counted_containers.hpp"
#include "testing/take_and_give.hpp"

namespace memprof::test {
namespace {

using testing::for_each_interrupt;
using testing::interrupt_options;

constexpr interrupt_options isolated{.isolate = true};

[[gnu::noinline]] void must_not_throw() noexcept {
  take_and_give();
  take_and_give();
}

struct cleaner {
  ~cleaner() { take_and_give(); }
};

int compare(void const* a, void const* b) {
  take_and_give();
  return *static_cast<int const*>(a) - *static_cast<int const*>(b);
}

TEST_CASE("pre-flight: noexcept functions and destructors are points that wait", "[testing]") {
  auto const r = for_each_interrupt(
      [] {
        take_and_give();
        must_not_throw();
        take_and_give();
        const cleaner at_the_end;
      },
      isolated);
  INFO(r.message());
  CHECK(r.ok());
  CHECK(r.points == 5);
  CHECK(r.delivered == 2);
  CHECK(r.deferred == 3);
  CHECK(r.late == 2);
  REQUIRE(r.deferrals.size() == 2);
  CHECK(r.deferrals[0].points == 2);
  CHECK(r.deferrals[0].place.find("must_not_throw") != std::string::npos);
}

TEST_CASE("pre-flight: callbacks of C functions", "[testing]") {
  auto const r = for_each_interrupt(
      [] {
        int numbers[] = {5, 4, 3, 2, 1};
        std::qsort(numbers, 5, sizeof(int), &compare);
        take_and_give();
      },
      isolated);
  INFO(r.message());
  CHECK(r.ok());
  CHECK(r.delivered == 1);
  CHECK(r.late == r.deferred);
  CHECK(r.deferred >= 5);
}

TEST_CASE("pre-flight: moves that must not throw, in a vector that grows", "[testing]") {
  struct moved {
    explicit moved(int n) : text(long_text(n)) {}
    moved(moved&& other) noexcept : text(other.text) {}  // copies, and may not throw
    moved& operator=(moved&&) = delete;
    ~moved() = default;
    counted_string text;
  };
  auto const r = for_each_interrupt(
      [] {
        vector_of<moved> all;
        for (int i = 0; i < 5; ++i) all.emplace_back(i);
      },
      isolated);
  INFO(r.message());
  CHECK(r.ok());
  // Landing pads that a sanitizer instruments may be refused besides, as not understood.
  auto const moves = std::find_if(r.deferrals.begin(), r.deferrals.end(), [](auto const& group) {
    return group.reason.find("noexcept") != std::string::npos;
  });
  REQUIRE(moves != r.deferrals.end());
  CHECK(moves->points == 1 + 2 + 4);
  CHECK(r.delivered == r.points - r.deferred);
}

}  // namespace
}  // namespace memprof::test
