// SPDX-License-Identifier: MIT
//
// memprof::label in a task that pauses: its labels sleep with it, and wake on any thread.
#include "memprof/label.hpp"

#include <cstdint>

#include "memprof/fiber.hpp"
#include "memprof/memprof.hpp"

#include "support/allocate.hpp"
#include "support/catch2.hpp"

namespace memprof::test {
namespace {

using namespace memprof::literals;

TEST_CASE("task: its labels sleep while it is paused", "[fiber][label]") {
  label const outer{"who", "resumer"};
  std::uint32_t const here = current_label_set();
  std::uint32_t first = 0, inside = 0, later = 0, last = 0;
  task t(limits{}, task_options{.any_thread = true}, [&] {
    first = current_label_set();
    {
      label const l{"request", "task"};
      inside = current_label_set();
      pause_point();
      later = current_label_set();
    }
    last = current_label_set();
  });
  CHECK(t.resume() == task_state::paused);
  CHECK(current_label_set() == here);
  in_thread([&] {
    label const theirs{"who", "another thread"};
    std::uint32_t const there = current_label_set();
    while (t.resume() == task_state::paused) continue;
    if (current_label_set() != there) later = 0;
  });
  CHECK(first == here);
  CHECK(inside != here);
  CHECK(later == inside);
  CHECK(last == here);
  CHECK(current_label_set() == here);
}

}  // namespace
}  // namespace memprof::test
