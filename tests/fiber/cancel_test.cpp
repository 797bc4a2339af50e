// SPDX-License-Identifier: MIT
// Ending a task from outside: cancel, the destructor, abandoning.
#include <memory>
#include <optional>
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

namespace {

struct counts_destructors {
  int& count;
  ~counts_destructors() { ++count; }
};

// A chain of frames with something to destroy in each.
[[gnu::noinline]] void descend(int depth, int& destroyed) {
  const counts_destructors object{destroyed};
  if (depth > 0) {
    descend(depth - 1, destroyed);
  } else {
    churn(10_kw);
  }
}

/// Allocates `n` blocks where nothing may be raised.
[[gnu::noinline]] void allocate_noexcept(int n, int& done) noexcept {
  for (int i = 0; i < n; ++i, ++done) release(allocate(small_block), small_block);
}

}  // namespace

TEST_CASE("cancel: a paused task is unwound, every destructor runs") {
  int destroyed = 0;
  task t{exact_allocations(80_w), [&] { descend(9, destroyed); }};
  REQUIRE(t.resume() == task_state::paused);
  CHECK(destroyed == 0);
  CHECK(t.cancel() == task_state::interrupted);
  CHECK(destroyed == 10);
  const auto r = t.result();
  REQUIRE_FALSE(r);
  CHECK(r.error().kind() == limit_kind::allocations);
  CHECK(r.error().limit() == bytes{80_w});
  CHECK(r.error().measured() == bytes{88_w});
  CHECK(r.error().deliveries() == 1);
  CHECK(r.error().exception() != nullptr);
}

TEST_CASE("cancel: a task that paused for another reason says who ended it") {
  int destroyed = 0;
  task t{limits{}, [&] { descend(4, destroyed); }};
  REQUIRE(t.run_for(100_w) == task_state::paused);
  CHECK(t.pause().reason == pause_reason::quantum);
  CHECK(t.cancel() == task_state::interrupted);
  CHECK(destroyed == 5);
  const auto r = t.result();
  REQUIRE_FALSE(r);
  CHECK(r.error().kind() == limit_kind::token);
  CHECK(std::string(r.error().reason()) == "cancelled by its monitor");

  bool reached = false;
  task asked{limits{}, [&] {
               pause_point();  // raised here
               reached = true;
             }};
  REQUIRE(asked.resume() == task_state::paused);
  CHECK(asked.cancel() == task_state::interrupted);
  CHECK_FALSE(reached);
}

TEST_CASE("cancel: a task that was not started is never run") {
  bool ran = false;
  task t{limits{}, [&] { ran = true; }};
  CHECK(t.cancel() == task_state::interrupted);
  const auto r = t.result();
  REQUIRE_FALSE(r);
  CHECK_FALSE(r.error().started());
  CHECK_FALSE(ran);
}

TEST_CASE("cancel: refused in a masked region, granted, delivered after it") {
  int in_mask = 0;
  int after = 0;
  task t{limits{}, [&] {
           {
             const masked_scope masked;
             for (; in_mask < 5; ++in_mask) release(allocate(small_block), small_block);
           }
           for (; after < 5; ++after) release(allocate(small_block), small_block);
         }};
  // Masked, it pauses after the region only.
  REQUIRE(t.run_for(1_w) == task_state::paused);
  CHECK(in_mask == 5);
  CHECK(t.cancel() == task_state::interrupted);
  CHECK(after == 0);
}

TEST_CASE("cancel: refused while an exception is in flight, delivered at the next place") {
  struct allocates_at_its_end {
    bool& survived;
    ~allocates_at_its_end() {
      release(allocate(small_block), small_block);  // during unwinding
      survived = true;
    }
  };
  bool survived = false;
  bool caught = false;
  bool end = false;
  task t{limits{}, [&] {
           churn(100_w);
           try {
             const allocates_at_its_end object{survived};
             throw 1;  // not a std::runtime_error, which allocates
           } catch (int) {
             caught = true;
           }
           churn(100_w);
           end = true;
         }};
  REQUIRE(t.run_for(100_w) == task_state::paused);  // in the destructor
  CHECK_FALSE(survived);
  CHECK(t.cancel() == task_state::interrupted);
  CHECK(survived);
  CHECK(caught);
  CHECK_FALSE(end);
  const auto r = t.result();
  REQUIRE_FALSE(r);
  CHECK(r.error().deferrals() == 1);
  CHECK(r.error().deliveries() == 1);
}

// Needs the walk over the unwind tables: without it the throw ends in std::terminate.
TEST_CASE("cancel: refused under noexcept, granted, delivered at the 6th try", "[preflight]") {
  int done = 0;
  int after = 0;
  task t{exact_allocations(80_w), [&] {
           churn(80_w);
           allocate_noexcept(5, done);
           for (; after < 5; ++after) release(allocate(small_block), small_block);
         }};
  REQUIRE(t.resume() == task_state::paused);  // inside the first of the five
  CHECK(done == 0);
  CHECK(t.cancel() == task_state::interrupted);
  CHECK(done == 5);
  CHECK(after == 0);
  const auto r = t.result();
  REQUIRE_FALSE(r);
  CHECK(r.error().deferrals() == 5);
  CHECK(r.error().deliveries() == 1);
}

TEST_CASE("cancel: a task that swallows is interrupted again, and at last not cancelled") {
  int swallowed = 0;
  bool stop = false;
  task t{limits{.grace = 100_w}, [&] {
           while (!stop) {
             try {
               churn(10_kw);
             } catch (std::bad_alloc const&) {
               ++swallowed;
             }
           }
         }};
  REQUIRE(t.run_for(1_kw) == task_state::paused);
  CHECK(t.cancel(5_kw) == task_state::paused);
  CHECK(t.pause().reason == pause_reason::not_cancelled);
  CHECK(swallowed > 10);
  const int before = swallowed;
  CHECK(t.cancel(5_kw) == task_state::paused);
  CHECK(swallowed > before);
  stop = true;
  CHECK(t.cancel(100_kw) == task_state::interrupted);
  const auto r = t.result();
  REQUIRE_FALSE(r);
  CHECK(r.error().deliveries() >= static_cast<std::uint64_t>(swallowed));
}

TEST_CASE("cancel: the destructor unwinds a paused task; one that swallows is abandoned") {
  const std::uint64_t before = abandoned_tasks();
  int destroyed = 0;
  {
    task t{exact_allocations(80_w), [&] { descend(9, destroyed); }};
    REQUIRE(t.resume() == task_state::paused);
    task u{exact_allocations(80_w), [&] { descend(9, destroyed); }};
    REQUIRE(u.resume() == task_state::paused);
    t = std::move(u);  // the old one is unwound
    CHECK(destroyed == 10);
  }
  CHECK(destroyed == 20);
  CHECK(abandoned_tasks() == before);
  {
    // What an abandoned task refers to must live as long as it: here, nothing that ends.
    task t{limits{}, task_options{.cancel_patience = 20_kw}, [] {
             while (true) {
               try {
                 churn(10_kw);
               } catch (...) {
               }
             }
           }};
    REQUIRE(t.run_for(1_kw) == task_state::paused);
  }
  CHECK(abandoned_tasks() == before + 1);
  task<void> t{limits{}, [] { churn(10_kw); }};
  REQUIRE(t.run_for(1_kw) == task_state::paused);
  t.abandon();
  CHECK(t.state() == task_state::abandoned);
  CHECK_THROWS_AS(t.resume(), std::logic_error);
  CHECK(abandoned_tasks() == before + 2);
}

TEST_CASE("cancel: a scope inside the task does not keep the interrupt") {
  bool inner_returned = false;
  int destroyed = 0;
  task t{limits{}, [&] {
           (void)limit_allocations(1_GiB, [&] { descend(3, destroyed); });
           inner_returned = true;
         }};
  REQUIRE(t.run_for(1_kw) == task_state::paused);
  CHECK(t.cancel() == task_state::interrupted);
  CHECK(destroyed == 4);
  CHECK_FALSE(inner_returned);
}

TEST_CASE("cancel: from a callback of the library, to free what a task holds") {
  const exactly rate_one;
  int destroyed = 0;
  auto t = std::make_unique<task<void>>(limits{}, [&] {
    holder h;
    const counts_destructors object{destroyed};
    h.fill(1_Mw);
  });
  REQUIRE(t->run_for(10_kw) == task_state::paused);
  limits l{.allocations = bytes{100_kw}, .count = counting::exact};
  l.soft.push_back({0.5, [&](soft_limit_notice&) { t.reset(); }});
  const auto r = run_limited(l, [] { churn(90_kw); });
  REQUIRE(r);
  CHECK(destroyed == 1);
  CHECK_FALSE(t);
}

namespace {
struct allocates_at_the_end {
  ~allocates_at_the_end() { churn(800_w); }
};
}  // namespace

// There words have been counted, and the next sample is some way off: in an event neither is so.
TEST_CASE("cancel: from a tracker's function, which is no event: each word is counted once") {
  set_seed(1);
  auto t = std::make_unique<task<void>>(limits{}, [] {
    const allocates_at_the_end object;
    churn(1_Mw);
  });
  REQUIRE(t->run_for(10_kw) == task_state::paused);
  tracker<int, int> tracked;
  tracked.alloc_minor = [](allocation const&) { return std::optional{1}; };
  tracked.dealloc_minor = [&](int) { t.reset(); };
  // A hundred blocks of 8 words hold no sample with 0.99^800.
  profile p = start(sampling_rate{0.01}, std::move(tracked));
  void* blocks[100];
  const auto r = run_limited(exact_allocations(100_kw), [&] {
    for (void*& block : blocks) block = allocate(small_block);
    for (void* block : blocks) release(block, small_block);
    churn(80_w);
  });
  p.stop();
  REQUIRE(r);
  CHECK_FALSE(t);
  CHECK(r->allocated == bytes{1680_w});
}
