// SPDX-License-Identifier: MIT
// A limit held across a foreign fiber's switch or left on another thread, and a mask that changes
// its thread: each ends in one sentence that names it, not in a crash somewhere else.
#include <csignal>
#include <memory>
#include <string>
#include <thread>
#include <ucontext.h>

#include "memprof/memprof.hpp"

#include "check.hpp"
#include "ended_child.hpp"

using namespace memprof::literals;

namespace {

ucontext_t outside, inside;
alignas(16) char stack[1 << 18];

/// On a stack of its own, under a limit, in the middle of which it goes back to `outside`.
void run_on_fiber() {
  static_cast<void>(memprof::limit_memory(1_GiB, [] { swapcontext(&inside, &outside); }));
  swapcontext(&inside, &outside);
}

void start_fiber() {
  getcontext(&inside);
  inside.uc_stack.ss_sp = stack;
  inside.uc_stack.ss_size = sizeof stack;
  makecontext(&inside, run_on_fiber, 0);
  swapcontext(&outside, &inside);
}

/// As asio::spawn does: two tasks in turns on one thread, each under a limit.
void held_across_a_switch() {
  start_fiber();
  static_cast<void>(memprof::limit_allocations(1_GiB, [] {
    swapcontext(&outside, &inside);  // the fiber's limit ends before ours, which began later
  }));
}

void left_on_another_thread() {
  start_fiber();
  std::thread([] { swapcontext(&outside, &inside); }).join();
}

void mask_on_another_thread() {
  auto mask = std::make_unique<memprof::masked_scope>();
  std::thread([&] { mask.reset(); }).join();
}

/// What a child prints that does this, and that it was aborted.
std::string report_of(void (*misuse)()) {
  const ended_child child = child_doing([&] {
    std::signal(SIGABRT, SIG_DFL);
    misuse();
  });
  CHECK(child.ended_by(SIGABRT));
  return child.said;
}

}  // namespace

int main() {
  CHECK(report_of(held_across_a_switch).find("memprof: limit_memory: its task ended") == 0);
  CHECK(report_of(left_on_another_thread).find("memprof: limit_memory: its task ended") == 0);
  CHECK(report_of(mask_on_another_thread).find("memprof: masked_scope: it was destroyed") == 0);
}
