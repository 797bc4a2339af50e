// SPDX-License-Identifier: MIT
//
// poisonable, on_interrupt and catch_all, interrupted at each point.
#include <stdexcept>
#include <string>
#include <utility>

#include "memprof/memprof.hpp"

#include "support/allocate.hpp"
#include "support/catch2.hpp"
#include "support/print_units.hpp"
#include "testing/counted_containers.hpp"

namespace memprof::test {
namespace {

using namespace memprof::literals;
using testing::failure_kind;
using testing::for_each_interrupt;
using testing::interruption;

struct halves {
  vector_of<counted_string> left;
  vector_of<counted_string> right;
  [[nodiscard]] bool is_whole() const { return left == right; }
  void add(int n) {
    left.push_back(long_text(n));
    right.push_back(long_text(n));
  }
};

TEST_CASE("recovery: a poisonable is marked, or whole, and unlocked", "[testing]") {
  poisonable<halves> shared;
  int found_bad = 0;
  auto const r = for_each_interrupt(
      [&] {
        auto const locked = shared.lock();
        locked->add(1);
        locked->add(2);
      },
      [&](interruption const& run) {
        if (!shared.try_lock().owns_lock() && !shared.is_poisoned()) return false;
        return shared.is_poisoned() == run.delivered;
      });
  // A poisoned one is not repaired here: the next run throws without an interrupt.
  REQUIRE_FALSE(r.ok());

  const auto repaired = for_each_interrupt(
      [&] {
        shared.repair([](halves& h) { h = {}; });
        shared.with([](halves& h) {
          h.add(1);
          h.add(2);
        });
      },
      [&](interruption const& run) {
        found_bad += shared.is_poisoned() ? 1 : 0;
        auto const locked = shared.lock_even_if_poisoned();
        const bool right = locked.is_poisoned() || locked->is_whole();
        const bool marked = !run.delivered || locked.is_poisoned();
        *locked = {};
        shared.clear_poison();
        return right && marked;
      });
  INFO(repaired.message());
  CHECK(repaired.ok());
  CHECK(repaired.delivered == repaired.points);
  CHECK(found_bad == static_cast<int>(repaired.points));
}

TEST_CASE("recovery: an interrupted repair leaves the mark", "[testing]") {
  poisonable<halves> shared;
  auto const r = for_each_interrupt(
      [&] {
        static_cast<void>(shared.lock_or_repair([](halves& h) {
          h = {};
          h.add(1);
        }));
      },
      [&](interruption const& run) {
        const bool right = shared.is_poisoned() == run.delivered;
        *shared.lock_even_if_poisoned() = {};
        shared.poison();  // for the next run; the first finds it whole
        return right;
      });
  INFO(r.message());
  CHECK(r.ok());
  CHECK(r.points > 2);
}

TEST_CASE("recovery: on_interrupt rolls back when it must, and only then", "[testing]") {
  const auto scenario = [](halves& h) {
    h.left.push_back(long_text(1));
    on_interrupt undo{[&]() noexcept { h.left.pop_back(); }};
    h.right.push_back(long_text(1));
  };
  auto const r =
      for_each_interrupt([] { return halves(); }, scenario, [](halves& h) { return h.is_whole(); });
  INFO(r.message());
  CHECK(r.ok());
  CHECK(r.delivered == r.points);

  auto const without = for_each_interrupt([] { return halves(); },
                                          [](halves& h) {
                                            h.left.push_back(long_text(1));
                                            h.right.push_back(long_text(1));
                                          },
                                          [](halves& h) { return h.is_whole(); });
  REQUIRE_FALSE(without.ok());
  CHECK(without.first_failure->what == failure_kind::check_failed);
  CHECK(without.first_failure->ordinal == without.points / 2 + 1);
}

TEST_CASE("recovery: on_interrupt may allocate: it runs masked", "[testing]") {
  auto const r =
      for_each_interrupt([] { return halves(); },
                         [](halves& h) {
                           on_interrupt undo{[&]() noexcept {
                             h.left.clear();
                             h.right.clear();
                             h.add(7);
                           }};
                           h.add(1);
                         },
                         [](halves& h, interruption const& run) {
                           return h.is_whole() && h.left.at(0) == long_text(run.delivered ? 7 : 1);
                         });
  INFO(r.message());
  CHECK(r.ok());
}

TEST_CASE("recovery: catch_all lets interrupts through; catch (...) is found out", "[testing]") {
  const auto work = [](int n) {
    auto const text = long_text(n);
    if (n == 2) throw std::runtime_error("this one is bad");
    return static_cast<int>(text.size());
  };
  auto const r = for_each_interrupt([&] {
    int failed = 0;
    for (int i = 0; i < 4; ++i) {
      catch_all([&] { return work(i); }, [&] { return ++failed; });
    }
    if (failed != 1) throw std::logic_error("catch_all: " + std::to_string(failed));
  });
  INFO(r.message());
  CHECK(r.ok());

  auto const swallowed = for_each_interrupt([&] {
    for (int i = 0; i < 4; ++i) {
      try {
        static_cast<void>(work(i));
      } catch (...) {
        continue;
      }
    }
  });
  REQUIRE_FALSE(swallowed.ok());
  CHECK(swallowed.first_failure->what == failure_kind::swallowed);
  CHECK(swallowed.first_failure->ordinal == 1);
}

}  // namespace
}  // namespace memprof::test
