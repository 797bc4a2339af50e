// SPDX-License-Identifier: MIT
// Paused tasks at the end of the process: static and thread-local, destroyed by exit; and exit
// called by a task itself.
#include <cstdlib>
#include <optional>
#include <unistd.h>

#include "memprof/fiber.hpp"
#include "memprof/memprof.hpp"

#include "check.hpp"

using namespace memprof::literals;

namespace {

int unwound = 0;

struct counts {
  ~counts() { ++unwound; }
};

// Destroyed last: it was constructed first.
struct checks_at_the_end {
  ~checks_at_the_end() {
    CHECK(unwound == 2);
    CHECK(memprof::abandoned_tasks() == 1);  // the one that called exit
    _exit(0);
  }
} at_the_end;

void work() {
  const counts c;
  for (int i = 0; i < 100'000; ++i) ::operator delete(::operator new(100));
}

std::optional<memprof::task<void>> in_static;
thread_local std::optional<memprof::task<void>> in_thread;

}  // namespace

int main() {
  in_static.emplace(memprof::limits{}, &work);
  in_thread.emplace(memprof::limits{}, &work);
  CHECK(in_static->run_for(1_kw) == memprof::task_state::paused);
  CHECK(in_thread->run_for(1_kw) == memprof::task_state::paused);
  static memprof::task<void> exits{memprof::limits{}, [] { std::exit(1); }};
  exits.resume();
  CHECK(false);
}
