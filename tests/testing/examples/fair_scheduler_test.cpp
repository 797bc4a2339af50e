// SPDX-License-Identifier: MIT
//
// The fair scheduler interrupted at each point. In a task it is the task's own limit that is hit:
// it pauses there, and is cancelled in the end; outside, it is the monitor's, and its tasks are
// unwound with it.
#include <cstdint>
#include <string>
#include <vector>

#include "fair_scheduler/scheduler.hpp"
#include "support/catch2.hpp"

namespace memprof::test {
namespace {

using namespace memprof::literals;
using example::fair_scheduler::job;

int working = 0;

std::uint64_t work() {
  struct at_work {
    at_work() { ++working; }
    ~at_work() { --working; }
  } const here;
  std::vector<std::string> texts;
  for (int i = 0; i < 12; ++i) texts.emplace_back(200, 'x');
  return texts.size();
}

std::uint64_t found = 0;
std::uint64_t errors = 0;

void run_jobs() {
  found = 0;
  errors = 0;
  std::vector<job> jobs;
  jobs.reserve(3);
  for (char const* name : {"one", "two", "three"}) {
    jobs.push_back({name, memprof::task<std::uint64_t>{limits{}, work}});
  }
  example::fair_scheduler::share(jobs, 100_w, 1000);
  for (job& j : jobs) {
    while (!j.task.done()) {
      if (j.task.resume() == task_state::paused) j.task.cancel();
    }
    if (auto const value = j.task.result()) {
      found += value->value;
    } else {
      ++errors;
    }
  }
}

bool is_whole(testing::interruption const& run) {
  return working == 0 && errors <= 1 && (!run.completed() || found + 12 * errors == 36);
}

TEST_CASE("examples: fair scheduler: a task's own limit is hit", "[testing]") {
  auto const r = testing::for_each_interrupt(run_jobs, is_whole, {.allow_swallowing = true});
  INFO(r.message());
  CHECK(r.ok());
  CHECK(r.delivered + r.late > 40);
  REQUIRE(r.deferrals.size() == 1);
  CHECK(r.deferrals.front().reason == "in a task that paused instead");
  CHECK(abandoned_tasks() == 0);
}

TEST_CASE("examples: fair scheduler: whoever resumes the tasks is interrupted", "[testing]") {
  auto const r = testing::for_each_interrupt(run_jobs, is_whole, {.hit_outermost = true});
  INFO(r.message());
  CHECK(r.ok());
  CHECK(r.delivered + r.late > 40);
  CHECK(abandoned_tasks() == 0);
}

}  // namespace
}  // namespace memprof::test
