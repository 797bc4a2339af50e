// SPDX-License-Identifier: MIT
// Tasks and threads.
#include <cerrno>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "memprof/fiber.hpp"
#include "memprof/memprof.hpp"

#include "support/allocate.hpp"
#include "support/catch2.hpp"
#include "support/print_units.hpp"

using namespace memprof;
using namespace memprof::test;

TEST_CASE("threads: a task is resumed by its own thread only, unless it may change") {
  task t{limits{}, [] { churn(10_kw); }};
  REQUIRE(t.run_for(100_w) == task_state::paused);
  std::string refusal;
  in_thread([&] {
    try {
      t.resume();
    } catch (std::logic_error const& e) {
      refusal = e.what();
    }
  });
  CHECK(refusal.find("any_thread") != std::string::npos);
  CHECK(t.state() == task_state::paused);
  CHECK(t.resume() == task_state::finished);

  // Not started: whoever comes first.
  task u{limits{}, [] { churn(10_kw); }};
  in_thread([&] { u.resume(); });
  CHECK(u.state() == task_state::finished);
}

TEST_CASE("threads: resumed on 14 threads in turn, the right result and the right counts") {
  const exactly rate_one;
  holder kept;
  task t{limits{.allocations = 10_Mw, .memory = 1_GiB, .count = counting::exact},
         task_options{.any_thread = true}, [&] {
           std::string text;
           int sum = 0;
           for (int i = 0; i < 14; ++i) {
             kept.fill(words{(i + 1) * 1000});
             try {
               throw i;
             } catch (int caught) {
               pause_point();
               sum += caught;
             }
             text += std::to_string(i);
           }
           return text + "/" + std::to_string(sum);
         }};
  for (int i = 0; i < 14; ++i) {
    in_thread([&] {
      churn(words{(i + 1) * 777});  // other positions than the last thread's
      t.resume();
    });
    REQUIRE(t.state() == task_state::paused);
    // With the replacement the exception that it is handling counts as well.
    CHECK(t.live().value >= bytes{kept.held()});
    CHECK(t.live().value < bytes{kept.held()} + 300_B);
  }
  CHECK(t.resume() == task_state::finished);
  const auto r = t.result();
  REQUIRE(r);
  CHECK(r->value == "012345678910111213/91");
  CHECK(r->allocated >= bytes{14'000_w});
  CHECK(r->allocated < bytes{14'500_w});
}

TEST_CASE("threads: paused inside an allocation, resumed on other threads, cancelled on another") {
  bool unwound = false;
  struct marks {
    bool& mark;
    ~marks() { mark = true; }
  };
  words granted{};
  task t{limits{.allocations = 1000_w, .count = counting::exact}, task_options{.any_thread = true},
         [&] {
           const marks m{unwound};
           churn_until(1_Mw, granted);
         }};
  words limit = 1000_w;
  for (int i = 0; i < 10; ++i) {
    in_thread([&] { t.resume(); });
    REQUIRE(t.state() == task_state::paused);
    CHECK(granted == limit);
    limit += 1000_w;
    t.raise_limit(limit);
  }
  in_thread([&] { t.cancel(); });
  CHECK(t.state() == task_state::interrupted);
  CHECK(unwound);
}

TEST_CASE("threads: destroyed by a thread that may not resume it, a task is abandoned") {
  const std::uint64_t before = abandoned_tasks();
  in_thread([] {
    std::optional<task<void>> t;
    t.emplace(limits{}, [] { churn(10_kw); });
    t->run_for(100_w);
    in_thread([&] { t.reset(); });
  });
  CHECK(abandoned_tasks() == before + 1);
}

TEST_CASE("threads: a thread that exits unwinds the paused task that it keeps") {
  static bool unwound = false;
  struct marks {
    ~marks() { unwound = true; }
  };
  const std::uint64_t before = abandoned_tasks();
  std::thread([] {
    thread_local std::optional<task<void>> t;
    t.emplace(limits{}, [] {
      const marks m;
      churn(10_kw);
    });
    t->run_for(100_w);
  }).join();
  CHECK(unwound);
  CHECK(abandoned_tasks() == before);
}

TEST_CASE("threads: four, each with tasks of its own, that share a budget") {
  budget b{{.allocations = 1_GiB, .count = counting::exact}};
  in_threads(4, [&](std::size_t) {
    std::vector<task<void>> tasks;
    for (int i = 0; i < 20; ++i) {
      tasks.emplace_back(limits{}, [&] { (void)b.run([] { churn(10_kw); }); });
    }
    bool busy = true;
    while (busy) {
      busy = false;
      for (auto& t : tasks) {
        if (!t.done()) busy |= t.run_for(1_kw) == task_state::paused;
      }
    }
  });
  CHECK(b.allocated() == bytes{800_kw});
}
