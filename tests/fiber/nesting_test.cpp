// SPDX-License-Identifier: MIT
// Limits inside a task, limits around its monitor, tasks that resume tasks.
#include <csetjmp>
#include <optional>
#include <stdexcept>
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

std::jmp_buf target;

void leave_a_limit_by_longjmp() {
  if (setjmp(target) == 0) (void)limit_memory(1_MiB, [] { longjmp(target, 1); });
}

}  // namespace

TEST_CASE("nesting: a limit inside a task interrupts; the pauses between are not charged to it") {
  words granted{};
  std::optional<bytes> measured;
  task t{limits{}, [&] {
           const auto r = run_limited(exact_allocations(1000_w), [&] {
             churn_until(500_w, granted);
             pause_point();
             churn_until(5000_w, granted);
           });
           if (!r) measured = r.error().measured();
         }};
  REQUIRE(t.resume() == task_state::paused);
  churn(100_kw);  // the monitor's own
  REQUIRE(t.resume() == task_state::finished);
  CHECK(granted == 1000_w);
  CHECK(measured == bytes{1008_w});
  CHECK(t.allocated() == bytes{granted});
}

TEST_CASE("nesting: a task whose limit is hit does not take its inner scopes with it") {
  bool inner_ok = false;
  task t{exact_allocations(1000_w), [&] {
           inner_ok = run_limited(exact_allocations(5000_w), [] { churn(3000_w); }).has_value();
         }};
  REQUIRE(t.resume() == task_state::paused);
  t.raise_limit(1_MiB);
  REQUIRE(t.resume() == task_state::finished);
  CHECK(inner_ok);
}

TEST_CASE("nesting: a scope around the monitor is charged while it resumes the task") {
  task t{limits{}, [] {
           for (int i = 0; i < 4; ++i) {
             churn(800_w);
             pause_point();
           }
         }};
  REQUIRE(t.resume() == task_state::paused);  // around nothing
  const auto r = run_limited(exact_allocations(10_kw), [&] {
    t.resume();
    churn(80_w);
    t.resume();
  });
  REQUIRE(r);
  CHECK(r->allocated == bytes{1680_w});
  CHECK(t.allocated() == bytes{2400_w});
}

TEST_CASE("nesting: hit around the monitor, the interrupt comes out of resume(); the task lives") {
  words granted{};
  task t{limits{}, [&] {
           churn_until(5000_w, granted);
           return granted;
         }};
  bool came_back = false;
  const auto r = run_limited(exact_allocations(1000_w), [&] {
    churn(80_w);
    t.resume();
    came_back = true;
  });
  REQUIRE_FALSE(r);
  CHECK(r.error().measured() == bytes{1008_w});
  CHECK(r.error().deliveries() == 1);
  CHECK_FALSE(came_back);
  CHECK(t.state() == task_state::paused);
  CHECK(granted == 920_w);
  CHECK(t.resume() == task_state::finished);
  CHECK(t.result()->value >= 5000_w);
}

TEST_CASE("nesting: hit around a masked monitor, the task goes on and the interrupt waits") {
  bool ended = false;
  bool after = false;
  const auto r = run_limited(exact_allocations(1000_w), [&] {
    {
      const masked_scope mask;
      task t{limits{}, [] { churn(5000_w); }};
      ended = t.resume() == task_state::finished;
    }
    churn(80_w);
    after = true;
  });
  REQUIRE_FALSE(r);
  CHECK(ended);
  CHECK_FALSE(after);
}

TEST_CASE("nesting: what is pending around a masked monitor is not raised through a task's base") {
  bool ended = false;
  task t{limits{}, [] {
           pause_point();
           churn(5000_w);
         }};
  REQUIRE(t.resume() == task_state::paused);
  const auto r = run_limited(exact_allocations(1000_w), [&] {
    const masked_scope mask;
    churn(2000_w);  // hit, and waiting
    ended = t.resume() == task_state::finished;
  });
  REQUIRE_FALSE(r);
  CHECK(ended);
  CHECK(t.result());
}

TEST_CASE("nesting: unwinding the monitor unwinds its paused tasks") {
  struct counts_destructors {
    int& count;
    ~counts_destructors() { ++count; }
  };
  int destroyed = 0;
  const auto r = run_limited(exact_allocations(10_kw), [&] {
    std::vector<task<void>> tasks;
    for (int i = 0; i < 5; ++i) {
      tasks.emplace_back(limits{}, [&] {
        const counts_destructors object{destroyed};
        churn(100_kw);
      });
    }
    while (true) {
      for (auto& t : tasks) t.run_for(500_w);
    }
  });
  REQUIRE_FALSE(r);
  CHECK(destroyed == 5);
}

TEST_CASE("nesting: live memory is charged to the task and to who resumes it, for good") {
  const exactly rate_one;
  std::vector<holder> holders(3);
  task t{limits{.memory = 1_GiB}, [&] {
           holders[0].fill(1000_w);
           pause_point();
           const auto r = limit_memory(1_GiB, [&] {
             holders[1].fill(2000_w);
             pause_point();
             holders[2].fill(4000_w);
             pause_point();
           });
         }};
  t.resume();  // around nothing: the task's alone
  CHECK(t.live().value == bytes{1000_w});
  budget first{{.memory = 1_GiB}};
  budget second{{.memory = 1_GiB}};
  (void)first.run([&] { t.resume(); });
  CHECK(first.live().value == bytes{2000_w});
  CHECK(t.live().value == bytes{3000_w});
  (void)second.run([&] { t.resume(); });
  CHECK(first.live().value == bytes{2000_w});
  CHECK(second.live().value == bytes{4000_w});
  CHECK(t.live().value == bytes{7000_w});
  holders[1].clear();  // by the monitor, around nothing
  CHECK(first.live().value == 0_B);
  CHECK(t.live().value == bytes{5000_w});
  t.resume();
  holders[2].clear();
  CHECK(second.live().value == 0_B);
  holders[0].clear();
}

TEST_CASE("nesting: a budget inside a task, resumed in and out of a run of the same budget") {
  for (const counting how : {counting::sampled, counting::exact}) {
    const exactly rate_one;
    budget b{{.allocations = 1_GiB, .count = how}};
    task t{limits{}, [&] {
             (void)b.run([&] {
               churn(800_w);
               pause_point();
               churn(800_w);
               pause_point();
               churn(800_w);
             });
           }};
    t.resume();
    CHECK(b.allocated() == bytes{800_w});
    (void)b.run([&] {
      churn(80_w);
      t.resume();
      churn(80_w);
    });
    CHECK(b.allocated() == bytes{1760_w});
    t.resume();
    CHECK(b.allocated() == bytes{2560_w});
  }
}

// While an interrupt waits, an exact budget is not charged at every allocation.
TEST_CASE("nesting: a budget is charged with all before it is known to whom it goes on") {
  budget b{{.allocations = 1000_w, .count = counting::exact}};
  auto const much = [] {
    const masked_scope mask;
    churn(80_kw);
    churn(8_w);
  };
  task t{limits{}, [&] {
           (void)b.run([&] {
             churn(80_w);
             pause_point();
             much();
           });
         }};
  t.resume();
  (void)b.run([&] {
    const masked_scope mask;
    much();
    t.resume();
    much();
  });
  CHECK(t.done());
  CHECK(b.allocated() == bytes{240'104_w});
}

TEST_CASE("nesting: a task resumes a task; the quantum of the outer one holds for both") {
  int inner_steps = 0;
  task outer{limits{}, [&] {
               task inner{limits{}, [&] {
                            for (; inner_steps < 100; ++inner_steps) churn(80_w);
                          }};
               return inner.resume() == task_state::finished;
             }};
  int slices = 0;
  while (outer.run_for(1000_w) == task_state::paused) ++slices;
  CHECK(slices == 7);  // of 1000 words, and the request of 8 that each stopped in
  CHECK(inner_steps == 100);
  CHECK(outer.result()->value);
}

TEST_CASE("nesting: the limit of an outer task pauses it inside resume() of the inner one") {
  task outer{exact_allocations(1000_w), [&] {
               task inner{limits{}, [&] { churn(8000_w); }};
               return inner.resume() == task_state::finished;
             }};
  REQUIRE(outer.resume() == task_state::paused);
  CHECK(outer.pause().reason == pause_reason::limit);
  CHECK(outer.pause().measured >= bytes{1001_w});
  outer.raise_limit(1_GiB);
  CHECK(outer.resume() == task_state::finished);
  CHECK(outer.result()->value);
}

TEST_CASE("nesting: cancelling a task cancels the tasks that it holds") {
  bool inner_destroyed = false;
  struct marks {
    bool& mark;
    ~marks() { mark = true; }
  };
  task outer{limits{}, [&] {
               task inner{limits{}, [&] {
                            const marks m{inner_destroyed};
                            churn(8000_w);
                          }};
               inner.run_for(100_w);
               pause_point();
             }};
  REQUIRE(outer.resume() == task_state::paused);
  CHECK_FALSE(inner_destroyed);
  CHECK(outer.cancel() == task_state::interrupted);
  CHECK(inner_destroyed);
}

TEST_CASE("nesting: the global limit pauses a task; lowered or freed, it goes on") {
  const exactly rate_one;
  const bytes now = live_major_memory().value;
  set_global_memory_limit(now + bytes{50'000_w});
  holder ours;
  ours.fill(30'000_w, 8000);
  task t{limits{.global_memory = true}, [&] {
           holder h;
           h.fill(40'000_w, 8000);
         }};
  REQUIRE(t.resume() == task_state::paused);
  CHECK(t.pause().kind == limit_kind::global_memory);
  CHECK_THROWS_AS(t.raise_limit(limit_kind::memory, 1_GiB), std::logic_error);
  ours.clear();
  CHECK(t.resume() == task_state::finished);
  CHECK(t.result());
}

TEST_CASE("nesting: longjmp may leave a limit inside a task") {
  const memprof::test::exactly fixture;
  task at_once{limits{}, [] { leave_a_limit_by_longjmp(); }};
  CHECK(at_once.resume() == task_state::finished);

  task later{limits{.memory = 64_kw}, [] {
               leave_a_limit_by_longjmp();
               pause_point();
               holder kept;
               kept.fill(100_kw);
             }};
  REQUIRE(later.resume() == task_state::paused);
  REQUIRE(later.resume() == task_state::paused);
  CHECK(later.pause().reason == pause_reason::limit);
  CHECK(later.cancel() == task_state::interrupted);
  CHECK(!is_interrupted());
}
