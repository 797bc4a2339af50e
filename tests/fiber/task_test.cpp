// SPDX-License-Identifier: MIT
// What a task is: its states, its result, misuse.
#include <cstdlib>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "memprof/fiber.hpp"
#include "memprof/memprof.hpp"

#include "fiber/exact_allocations.hpp"
#include "support/allocate.hpp"
#include "support/catch2.hpp"
#include "support/print_units.hpp"

using namespace memprof;
using namespace memprof::test;

TEST_CASE("task: runs to its end, and its result is that of run_limited") {
  task t{limits{}, [] { return std::string("value"); }};
  CHECK(t.state() == task_state::not_started);
  CHECK(t.resume() == task_state::finished);
  CHECK(t.done());
  const auto r = t.result();
  REQUIRE(r);
  CHECK(r->value == "value");

  task nothing{limits{}, [] {}};
  CHECK(nothing.resume() == task_state::finished);
  CHECK(nothing.result());
}

TEST_CASE("task: pauses at its limit, inside the allocation; raised, it goes on") {
  words granted{};
  task t{exact_allocations(1000_w), [&] {
           churn_until(3000_w, granted);
           return 7;
         }};
  CHECK(t.resume() == task_state::paused);
  const task_pause p = t.pause();
  CHECK(p.reason == pause_reason::limit);
  CHECK(p.kind == limit_kind::allocations);
  CHECK(p.limit == bytes{1000_w});
  CHECK(p.measured == bytes{1008_w});  // 125 blocks of 8 words are 1000, the next one is too much
  CHECK(p.requested == 8_w);
  CHECK(granted == 1000_w);
  t.raise_limit(2000_w);
  CHECK(t.resume() == task_state::paused);
  CHECK(granted == 2000_w);
  t.raise_limit(1_MiB);
  CHECK(t.resume() == task_state::finished);
  const auto r = t.result();
  REQUIRE(r);
  CHECK(r->value == 7);
  CHECK(r->allocated == bytes{3000_w});
  CHECK(t.allocated() == bytes{3000_w});
}

TEST_CASE("task: resumed without more, it gets the one request and pauses at the next") {
  words granted{};
  task t{exact_allocations(80_w), [&] { churn_until(104_w, granted); }};
  CHECK(t.resume() == task_state::paused);
  CHECK(granted == 80_w);
  CHECK(t.resume() == task_state::paused);
  CHECK(granted == 88_w);
  CHECK(t.resume() == task_state::paused);
  CHECK(granted == 96_w);
  CHECK(t.resume() == task_state::finished);
  CHECK(t.result());  // it was let through each time
}

TEST_CASE(
    "task: raised, but not enough for the request at hand, it stays paused at the new limit") {
  bool granted = false;
  task t{exact_allocations(80_w), [&] {
           release(allocate(7992), 7992);  // 1000 words at once
           granted = true;
         }};
  CHECK(t.resume() == task_state::paused);
  t.raise_limit(500_w);
  CHECK(t.resume() == task_state::paused);
  CHECK(t.pause().limit == bytes{500_w});
  CHECK(t.pause().measured == bytes{1000_w});
  CHECK_FALSE(granted);
  t.raise_limit(999_w);
  CHECK(t.resume() == task_state::paused);
  CHECK_FALSE(granted);
  t.raise_limit(1000_w);
  CHECK(t.resume() == task_state::finished);
  CHECK(granted);
}

TEST_CASE("task: what its function throws comes out of result()") {
  task t{limits{.allocations = 1_MiB}, []() -> int { throw std::runtime_error("own"); }};
  CHECK(t.resume() == task_state::finished);
  CHECK_THROWS_WITH(t.result(), "own");
}

TEST_CASE("task: misuse is a logic_error and changes nothing") {
  task t{exact_allocations(80_w), [] { churn(800_w); }};
  CHECK_THROWS_AS(t.result(), std::logic_error);
  CHECK_THROWS_AS(t.pause(), std::logic_error);
  CHECK_THROWS_AS(t.abandon(), std::logic_error);
  CHECK_THROWS_AS(t.raise_limit(1_KiB), std::logic_error);
  CHECK_THROWS_AS(t.raise_limit(limit_kind::memory, 1_KiB), std::logic_error);
  CHECK_THROWS_AS(t.raise_limit(limit_kind::allocations, bytes{-1}), std::invalid_argument);
  CHECK_THROWS_AS(t.extend_time(std::chrono::seconds(1)), std::logic_error);
  CHECK_THROWS_AS(t.run_for(0_w), std::invalid_argument);
  CHECK(t.resume() == task_state::paused);
  CHECK_THROWS_AS(t.raise_limit(limit_kind::deadline, 1_KiB), std::logic_error);
  CHECK_THROWS_AS(t.result(), std::logic_error);
  t.raise_limit(1_MiB);
  CHECK(t.resume() == task_state::finished);
  CHECK_THROWS_AS(t.resume(), std::logic_error);
  CHECK_THROWS_AS(t.pause(), std::logic_error);
  CHECK(t.cancel() == task_state::finished);
  CHECK(t.result());
  CHECK_THROWS_AS(t.result(), std::logic_error);

  task<int> moved{limits{}, [] { return 1; }};
  task<int> other = std::move(moved);
  CHECK(moved.state() == task_state::abandoned);
  CHECK_THROWS_AS(moved.resume(), std::logic_error);
  CHECK(other.resume() == task_state::finished);
}

TEST_CASE("task: arguments that make no sense are refused by its constructor") {
  CHECK_THROWS_AS((task{limits{.memory = bytes{-1}}, [] {}}), std::invalid_argument);
  CHECK_THROWS_AS((task{limits{}, task_options{.stack_size = 100_B}, [] {}}),
                  std::invalid_argument);
  CHECK_THROWS_AS((task{limits{}, task_options{.cancel_patience = 0_w}, [] {}}),
                  std::invalid_argument);
}

TEST_CASE("task: it cannot resume itself") {
  task<void>* self = nullptr;
  bool refused = false;
  task<void> t{limits{}, [&] {
                 try {
                   self->resume();
                 } catch (std::logic_error const&) {
                   refused = true;
                 }
               }};
  self = &t;
  CHECK(t.resume() == task_state::finished);
  CHECK(refused);
}

TEST_CASE("task: pause_point pauses a task, and nothing else") {
  CHECK_FALSE(pause_point());
  int step = 0;
  bool masked = true;
  task t{limits{}, [&] {
           step = 1;
           pause_point();
           step = 2;
           const masked_scope mask;
           masked = pause_point();
         }};
  CHECK(t.resume() == task_state::paused);
  CHECK(step == 1);
  CHECK(t.pause().reason == pause_reason::asked);
  CHECK(t.resume() == task_state::finished);
  CHECK(step == 2);
  CHECK_FALSE(masked);
}

TEST_CASE("task: paused and raised 21 times inside std::map, the result is that of a free run") {
  using map = std::map<int, std::string, std::less<>,
                       memprof::allocator<std::pair<int const, std::string>>>;
  const auto build = [] {
    map m;
    for (int i = 0; i < 2000; ++i) m.emplace((i * 7919) % 2000, "n" + std::to_string(i));
    return m;
  };
  const map expected = build();
  task t{exact_allocations(100_w), build};
  int pauses = 0;
  bytes limit = 100_w;
  while (t.resume() == task_state::paused) {
    ++pauses;
    limit = limit + bytes{900_w};
    t.raise_limit(limit);
  }
  CHECK(pauses >= 21);
  const auto r = t.result();
  REQUIRE(r);
  CHECK(r->value == expected);
}

TEST_CASE("task: a memory limit pauses it; freed memory lets it go on") {
  const exactly rate_one;
  holder* kept = nullptr;
  task t{limits{.memory = bytes{10'000_w}}, [&] {
           holder h;
           kept = &h;
           h.fill(15'000_w);
           return h.held();
         }};
  CHECK(t.resume() == task_state::paused);
  CHECK(t.pause().kind == limit_kind::memory);
  CHECK(t.live().value == bytes{10'000_w});
  kept->clear();  // the monitor frees what the task holds
  CHECK(t.live().value == 0_B);
  CHECK(t.resume() == task_state::paused);
  t.raise_limit(bytes{20'000_w});
  CHECK(t.resume() == task_state::finished);
}

TEST_CASE("task: a token and a deadline pause it; a task whose token was set is not run") {
  token stop;
  bool ran = false;
  task never{limits{.token = stop}, [&] { ran = true; }};
  task t{limits{.token = stop}, [&] { churn(100_kw); }};
  CHECK(t.run_for(1_kw) == task_state::paused);
  stop.set("enough");
  CHECK(t.resume() == task_state::paused);
  CHECK(t.pause().reason == pause_reason::limit);
  CHECK(t.pause().kind == limit_kind::token);
  CHECK(t.cancel() == task_state::interrupted);
  const auto r = t.result();
  REQUIRE_FALSE(r);
  CHECK(r.error().kind() == limit_kind::token);
  CHECK(std::string(r.error().reason()) == "enough");
  CHECK(never.resume() == task_state::interrupted);
  CHECK_FALSE(ran);

  task late{limits{.time = std::chrono::nanoseconds(1)}, [] { churn(10_kw); }};
  CHECK(late.resume() == task_state::paused);
  CHECK(late.pause().kind == limit_kind::deadline);
  late.extend_time(std::chrono::hours(1));
  CHECK(late.resume() == task_state::finished);
  CHECK(late.result());
}

TEST_CASE("task: malloc does not refuse a task that pauses") {
  if (!replaced) return;  // malloc is not counted
  bool served = false;
  task t{limits{.memory = 1_MiB, .malloc_after_hit = malloc_policy::refuse}, [&] {
           void* volatile block = std::malloc(100'000'000);  // volatile: the pair is not elided
           served = block != nullptr;
           churn(1_kw);  // pauses here
           std::free(block);
         }};
  CHECK(t.resume() == task_state::paused);
  CHECK(served);
  CHECK(t.pause().kind == limit_kind::memory);
  t.raise_limit(limit_kind::memory, 1_GiB);
  CHECK(t.resume() == task_state::finished);
  CHECK(t.result());
}

TEST_CASE("task: 10 000 paused at once, each gets its own result") {
  constexpr int n = 10'000;
  std::vector<task<int>> tasks;
  tasks.reserve(n);
  for (int i = 0; i < n; ++i) {
    tasks.emplace_back(exact_allocations(80_w), task_options{.stack_size = 16_KiB}, [i] {
      int sum = i;
      for (int k = 0; k < 20; ++k) {
        release(allocate(small_block), small_block);
        sum += k;
      }
      return sum;
    });
  }
  for (auto& t : tasks) REQUIRE(t.resume() == task_state::paused);
  for (auto& t : tasks) t.raise_limit(1_MiB);
  for (int i = n - 1; i >= 0; --i) {
    auto& t = tasks[static_cast<std::size_t>(i)];
    REQUIRE(t.resume() == task_state::finished);
    const auto r = t.result();
    REQUIRE(r);
    REQUIRE(r->value == i + 190);
    REQUIRE(r->allocated == bytes{160_w});
  }
}
