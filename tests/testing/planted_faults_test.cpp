// SPDX-License-Identifier: MIT
//
// Faults of each kind, planted: for_each_interrupt must find them, at the right point.
#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

#include "memprof/memprof.hpp"

#include "support/allocate.hpp"
#include "support/catch2.hpp"
#include "support/print_units.hpp"
#include "support/sanitized.hpp"
#include "testing/take_and_give.hpp"

namespace memprof::test {
namespace {

using namespace memprof::literals;
using testing::failure_kind;
using testing::for_each_interrupt;
using testing::interrupt_options;
using testing::interrupt_report;
using testing::interruption;
using testing::is_unlocked;
using testing::replay_interrupt;

/// Every fault is found in this process and in a child, at the same point.
template <class Test>
void in_both_ways(Test const& test) {
  for (bool const isolate : {false, true}) {
    interrupt_options options;
    options.isolate = isolate;
    INFO("isolate " << isolate);
    test(options);
  }
}

void check_failure(interrupt_report const& r, std::uint64_t ordinal, failure_kind what) {
  INFO(r.message());
  REQUIRE_FALSE(r.ok());
  CHECK(r.first_failure->ordinal == ordinal);
  CHECK(to_string(r.first_failure->what) == to_string(what));
  CHECK(r.message().find(to_string(what)) != std::string::npos);
  if (ordinal > 0) {
    CHECK(r.message().find("replay_interrupt(" + std::to_string(ordinal) + ",") !=
          std::string::npos);
  }
}

/// Where lost blocks are kept after all: LeakSanitizer would find them, too, and end the test.
class lost_property {
 public:
  void keep(void* block) noexcept { blocks_[n_++ % 64] = block; }
  void give_back() noexcept {
    while (n_ > 0) release(blocks_[--n_ % 64], small_block);
  }

 private:
  std::array<void*, 64> blocks_{};
  std::size_t n_ = 0;
};

TEST_CASE("planted: keep_going finds all faults, at each point once", "[testing]") {
  in_both_ways([](interrupt_options options) {
    auto const scenario = [&] { take_and_give(20); };
    auto const check = [&](interruption const& run) {
      if (run.ordinal == 7) throw std::runtime_error("seven");
      return run.ordinal % 5 != 3;  // 3, 8, 13, 18
    };
    options.repeat = 2;
    auto const first = for_each_interrupt(scenario, check, options);
    check_failure(first, 3, failure_kind::check_failed);
    CHECK(first.failures.size() == 1);

    options.keep_going = true;
    auto const r = for_each_interrupt(scenario, check, options);
    check_failure(r, 3, failure_kind::check_failed);
    CHECK(r.complete());
    CHECK(r.points == 20);
    CHECK(r.tried == 2 * 20 - 5);
    REQUIRE(r.failures.size() == 5);
    std::uint64_t const points[] = {3, 7, 8, 13, 18};
    for (std::size_t i = 0; i < 5; ++i) {
      CHECK(r.failures[i].ordinal == points[i]);
      CHECK(r.failures[i].what ==
            (points[i] == 7 ? failure_kind::check_threw : failure_kind::check_failed));
      REQUIRE_FALSE(r.failures[i].stack.empty());
      CHECK(r.failures[i].stack.back().function == "(the scenario)");
    }
    CHECK(r.message().find("testing::detail::") == std::string::npos);
    CHECK(r.message().find("failed at 3 more points: the check returned false: 8, 13, 18") !=
          std::string::npos);
    CHECK(r.message().find("failed at 1 more point: the check threw: 7") != std::string::npos);
  });
}

// Whose _exit is another function, not known to end the process.
#if !MEMPROF_THREAD_SANITIZED && !MEMPROF_CLANG_ADDRESS_SANITIZED
TEST_CASE("planted: keep_going goes on after points that end the process", "[testing]") {
  interrupt_options options;
  options.isolate = true;
  options.keep_going = true;
  // Unknown to clang, which else unrolls the loop, and interrupts do not go into a handler that
  // only ends the process.
  int const volatile two = 2;
  auto const r = for_each_interrupt(
      [&] {
        for (int n = 1; n <= 6; ++n) {
          try {
            take_and_give();
          } catch (...) {
            if (n % two == 0) _exit(3);
            throw;
          }
        }
      },
      options);
  check_failure(r, 2, failure_kind::crashed);
  REQUIRE(r.failures.size() == 3);
  CHECK(r.failures[1].ordinal == 4);
  CHECK(r.failures[2].ordinal == 6);
  CHECK(r.delivered == 6);
}
#endif

// A sanitizer's event need not lie on the stack, and then all frames are shown; without
// optimisation a memory resource shows one of its own (sources.cpp).
#if !MEMPROF_SANITIZED && defined(__OPTIMIZE__)
[[gnu::noinline]] void take_one() { take_and_give(); }  // else it is a part of "(the scenario)"

TEST_CASE("planted: the stack of a failure begins outside the library", "[testing]") {
  in_both_ways([](interrupt_options const& options) {
    auto const r = for_each_interrupt(
        [] { take_one(); }, [](interruption const& run) { return run.ordinal != 1; }, options);
    check_failure(r, 1, failure_kind::check_failed);
    std::string const& innermost = r.first_failure->stack.at(0).function;
    INFO(innermost);
    CHECK(innermost.find("memprof::test::") != std::string::npos);
  });
}
#endif

TEST_CASE("planted: keep_going does not go on where a run without interrupt fails", "[testing]") {
  interrupt_options options;
  options.keep_going = true;
  int checks = 0;
  auto const r =
      for_each_interrupt([] { take_and_give(20); }, [&] { return ++checks < 0; }, options);
  check_failure(r, 0, failure_kind::check_failed);
  CHECK(checks == 1);
  CHECK(r.failures.size() == 1);
}

TEST_CASE("planted: a block that is lost when a later allocation is interrupted", "[testing]") {
  in_both_ways([](interrupt_options const& options) {
    lost_property lost;
    auto const scenario = [&] {
      take_and_give(2);
      void* const first = allocate(small_block);  // no owner
      try {
        take_and_give();  // point 4
      } catch (...) {
        lost.keep(first);
        throw;
      }
      release(first, small_block);
    };
    auto const r = for_each_interrupt(scenario, options);
    check_failure(r, 4, failure_kind::leak);
    CHECK(r.first_failure->detail == "1 block left behind each time, counted 64 bytes");
    CHECK(r.points == 4);
    CHECK(r.delivered == 4);
    check_failure(replay_interrupt(
                      4, scenario, [] {}, options),
                  4, failure_kind::leak);
    CHECK(replay_interrupt(
              3, scenario, [] {}, options)
              .ok());
    auto quiet = options;
    quiet.leak_check = false;
    CHECK(for_each_interrupt(scenario, quiet).ok());
    lost.give_back();
  });
}

TEST_CASE("planted: an invariant broken between two steps", "[testing]") {
  struct transfer {
    int from = 100;
    int to = 0;
    void run() {
      take_and_give(2);
      from -= 10;
      take_and_give();  // point 3
      to += 10;
      take_and_give();
    }
  };
  in_both_ways([](interrupt_options const& options) {
    check_failure(for_each_interrupt([] { return transfer(); }, [](transfer& t) { t.run(); },
                                     [](transfer& t) { return t.from + t.to == 100; }, options),
                  3, failure_kind::check_failed);
    auto const thrown = for_each_interrupt([] { return transfer(); }, [](transfer& t) { t.run(); },
                                           [](transfer& t) {
                                             if (t.from + t.to != 100)
                                               throw std::runtime_error("money was lost");
                                           },
                                           options);
    check_failure(thrown, 3, failure_kind::check_threw);
    CHECK(thrown.first_failure->detail == "money was lost");
  });
}

TEST_CASE("planted: a lock left held", "[testing]") {
  struct guarded {
    std::mutex lock;
    void run() {
      take_and_give();
      lock.lock();  // no guard
      take_and_give();
      lock.unlock();
    }
  };
  in_both_ways([](interrupt_options const& options) {
    check_failure(
        for_each_interrupt([] { return std::make_unique<guarded>(); }, [](auto& g) { g->run(); },
                           [](auto& g) {
                             const bool unlocked = is_unlocked(g->lock);
                             if (!unlocked) g->lock.unlock();  // to be destroyed
                             return unlocked;
                           },
                           options),
        2, failure_kind::check_failed);
  });
}

TEST_CASE("planted: the interrupt is swallowed", "[testing]") {
  in_both_ways([](interrupt_options const& options) {
    auto const scenario = [] {
      take_and_give();
      try {
        take_and_give();
      } catch (std::bad_alloc const&) {
        // "does not matter"
      }
    };
    check_failure(for_each_interrupt(scenario, options), 2, failure_kind::swallowed);
    auto allowed = options;
    allowed.allow_swallowing = true;
    CHECK(for_each_interrupt(scenario, allowed).ok());

    // By a limit of the scenario's own, which lets its task end well.
    check_failure(
        for_each_interrupt([&] { static_cast<void>(limit_memory(1_GiB, scenario)); }, options), 2,
        failure_kind::swallowed);
    // Translated is not swallowed.
    CHECK(for_each_interrupt(
              [] {
                try {
                  take_and_give();
                } catch (std::bad_alloc const&) {
                  throw std::runtime_error("too much");
                }
              },
              options)
              .ok());
  });
}

TEST_CASE("planted: what is wrong without an interrupt, too", "[testing]") {
  check_failure(for_each_interrupt([] {
                  take_and_give();
                  throw std::runtime_error("no luck");
                }),
                0, failure_kind::scenario_threw);
  check_failure(for_each_interrupt([] { take_and_give(); }, [] { return false; }), 0,
                failure_kind::check_failed);
  check_failure(for_each_interrupt([] {}), 0, failure_kind::no_points);
  std::vector<void*> lost;
  check_failure(for_each_interrupt([&] { lost.push_back(allocate(small_block)); }), 0,
                failure_kind::leak);
  for (void* block : lost) release(block, small_block);
}

TEST_CASE("planted: an exception of its own, before the interrupt", "[testing]") {
  int runs = 0;
  auto const r = for_each_interrupt(
      [&] {
        take_and_give();
        if (runs == 4) throw 42;  // in the run of the second point
        take_and_give();
      },
      [&] { ++runs; });
  check_failure(r, 2, failure_kind::scenario_threw);
  CHECK(r.first_failure->detail == "i");
  CHECK(r.unreached == 1);
}

/// What a handler of the next test calls: set while the interrupt unwinds, so that no look ahead at
/// the handler knows how it ends.
std::atomic<void (*)()> when_caught_call{nullptr};

[[gnu::noinline]] void take_and_arm(void (*action)()) {
  struct arm {
    void (*action)();
    ~arm() { when_caught_call = action; }
  };
  arm const when_unwound{action};
  take_and_give();
}

TEST_CASE("planted: it ends the process, or never ends", "[testing]") {
  const interrupt_options isolated{.isolate = true};
  auto const when_caught = [](void (*action)()) {
    return [action] {
      when_caught_call = [] {};
      take_and_give(2);
      try {
        take_and_arm(action);  // point 3
      } catch (std::bad_alloc const&) {
        when_caught_call.load()();
      }
    };
  };
  auto const aborted = for_each_interrupt(when_caught([] { std::abort(); }), isolated);
  check_failure(aborted, 3, failure_kind::crashed);
  CHECK(aborted.first_failure->detail == "by signal 6 (ABRT)");
  auto const crashed = for_each_interrupt(when_caught([] { ::raise(SIGSEGV); }), isolated);
  check_failure(crashed, 3, failure_kind::crashed);
  auto const left = for_each_interrupt(when_caught([] { ::_exit(7); }), isolated);
  check_failure(left, 3, failure_kind::crashed);
  CHECK(left.first_failure->detail == "by exit with status 7");
  check_failure(for_each_interrupt(when_caught([] {
                                     while (true) ::pause();
                                   }),
                                   {.isolate = true, .hang_after = std::chrono::seconds(2)}),
                3, failure_kind::hung);
}

// Not inlined, not static: it must have a frame and a symbol.
[[gnu::noinline]] void place_to_be_named(holder& blocks) {
  blocks.add(small_block);
  blocks.add(small_block);
  blocks.add(small_block);  // the one before is no jump
}

TEST_CASE("planted: the report names the place", "[testing]") {
  auto const r = for_each_interrupt(
      [] {
        holder blocks;
        place_to_be_named(blocks);
      },
      [](interruption const& run) { return run.ordinal < 2; });
  check_failure(r, 2, failure_kind::check_failed);
  INFO(r.message());
  auto const& stack = r.first_failure->stack;
  REQUIRE(stack.size() >= 3);
  CHECK(r.message().find("place_to_be_named") != std::string::npos);
  CHECK(stack.front().function.find("memprof::") != std::string::npos);
  CHECK(stack.front().function.find("new") == std::string::npos);
  CHECK(r.message().find("Catch") == std::string::npos);  // nothing around the scenario
  CHECK(r.message().find("detail::run") == std::string::npos);
  for (auto const& frame : stack) {
    CHECK(frame.address != nullptr);
    CHECK_FALSE(frame.module.empty());
  }
}

}  // namespace
}  // namespace memprof::test
