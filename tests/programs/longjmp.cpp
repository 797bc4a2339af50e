// SPDX-License-Identifier: MIT
// Limits that longjmp passes: they are dropped, as if their functions had returned. (C++ leaves
// that undefined where objects are passed; libraries in C do it.)
#include <alloca.h>
#include <csetjmp>
#include <cstring>
#include <memory>
#include <sys/wait.h>
#include <thread>
#include <ucontext.h>
#include <unistd.h>
#include <vector>

#include "memprof/memprof.hpp"

#include "check.hpp"

using namespace memprof::literals;

namespace {

std::jmp_buf target;

/// Keeps up to 64 MiB; true if it was not interrupted.
bool consume() {
  std::vector<std::unique_ptr<char[]>> kept;
  for (int i = 0; i < 64; ++i) kept.push_back(std::make_unique<char[]>(1 << 20));
  return true;
}

template <class Limit>
[[gnu::noinline]] void leave_by_longjmp(Limit limit) {
  if (setjmp(target) == 0) {
    limit([] { longjmp(target, 1); });
    CHECK(false);
  }
}

/// As far in as the limit was, or further, where other frames lie now.
[[gnu::noinline]] bool consume_further_in() {
  auto* const frame = static_cast<char*>(alloca(100'000));
  std::memset(frame, 0x55, 100'000);
  return consume() && frame[50'000] == 0x55;
}

void limits_still_work() {
  CHECK(!memprof::is_interrupted() && !memprof::is_masked());
  CHECK(!memprof::limit_memory(8_MiB, [] { consume(); }));
  CHECK(memprof::limit_memory(1_GiB, [] { consume(); }));
  CHECK(consume());
}

void outermost() {
  leave_by_longjmp([](auto f) { (void)memprof::limit_memory(8_MiB, f); });
  CHECK(consume());
  limits_still_work();
  leave_by_longjmp([](auto f) { (void)memprof::limit_allocations(8_MiB, f); });
  CHECK(consume_further_in());
  limits_still_work();
  leave_by_longjmp([](auto f) { (void)memprof::limit_time(std::chrono::nanoseconds(1000), f); });
  CHECK(consume_further_in());
  limits_still_work();
}

void several_at_once() {
  leave_by_longjmp([](auto f) {
    (void)memprof::limit_memory(8_MiB, [&] {
      const memprof::masked_scope mask;
      (void)memprof::limit_allocations(8_MiB, [&] { (void)memprof::limit_global_memory(f); });
    });
  });
  CHECK(!memprof::is_interrupted());  // drops them, and the mask with them
  limits_still_work();
}

/// The limit around is not passed, and goes on; it ends first in the second case.
void inside_another() {
  CHECK(!memprof::limit_memory(16_MiB, [] {
    leave_by_longjmp([](auto f) { (void)memprof::limit_memory(8_MiB, f); });
    consume();
    CHECK(false);
  }));
  CHECK(memprof::limit_memory(
      16_MiB, [] { leave_by_longjmp([](auto f) { (void)memprof::limit_memory(8_MiB, f); }); }));
  limits_still_work();
}

/// A limit that begins further in than one that was passed: that one is found to be gone when its
/// interrupt is due.
void another_inside() {
  leave_by_longjmp([](auto f) { (void)memprof::limit_allocations(8_MiB, f); });
  [] [[gnu::noinline]] {
    auto* const frame = static_cast<char*>(alloca(100'000));
    std::memset(frame, 0x55, 100'000);
    CHECK(memprof::limit_memory(1_GiB, [] { consume(); }));
    CHECK(frame[50'000] == 0x55);
  }();
  limits_still_work();
}

/// A mask that begins or ends before it is noticed that the limit is gone is not its business.
void masked_at_once() {
  leave_by_longjmp([](auto f) { (void)memprof::limit_memory(8_MiB, f); });
  {
    const memprof::masked_scope mask;
    CHECK(consume());
    CHECK(memprof::is_masked());
  }
  {
    const memprof::masked_scope mask;
    leave_by_longjmp([](auto f) { (void)memprof::limit_memory(8_MiB, f); });
  }
  CHECK(consume());
  limits_still_work();
}

void with_a_budget() {
  memprof::limits l;
  l.memory = 8_MiB;
  memprof::budget account(l);
  leave_by_longjmp([&](auto f) { (void)account.run(f); });
  CHECK(consume());
  CHECK(!account.run([] { consume(); }));
  CHECK(account.run([] {}));  // available again: no run is in progress
  limits_still_work();
}

void at_the_end_of_a_thread() {
  std::thread([] {
    leave_by_longjmp([](auto f) { (void)memprof::limit_global_memory(f); });
  }).join();
  memprof::set_global_memory_victim(memprof::victim::largest);
  memprof::set_global_memory_limit(8_MiB);
  CHECK(!memprof::limit_global_memory([] { consume(); }));
  memprof::set_global_memory_limit(std::nullopt);
}

ucontext_t outside, inside;
alignas(16) char stack[1 << 18];

/// A limit on another stack is not taken for one that was passed.
void on_another_stack() {
  getcontext(&inside);
  inside.uc_stack.ss_sp = stack;
  inside.uc_stack.ss_size = sizeof stack;
  makecontext(
      &inside,
      [] {
        CHECK(!memprof::limit_memory(100_MiB, [] {
          std::vector<std::unique_ptr<char[]>> kept;
          swapcontext(&inside, &outside);
          while (true) kept.push_back(std::make_unique<char[]>(1 << 20));
        }));
        swapcontext(&inside, &outside);
      },
      0);
  swapcontext(&outside, &inside);
  CHECK(consume());  // under the limit of the other stack
  CHECK(!memprof::is_interrupted());
  swapcontext(&outside, &inside);
  limits_still_work();
}

void all() {
  outermost();
  several_at_once();
  inside_another();
  another_inside();
  masked_at_once();
  with_a_budget();
}

/// The child's only thread is not on the stack that the program began on.
void in_a_forked_child() {
  std::thread([] {
    const pid_t child = fork();
    if (child == 0) {
      all();
      _exit(0);
    }
    int status = 0;
    CHECK(waitpid(child, &status, 0) == child && status == 0);
  }).join();
}

}  // namespace

int main() {
  all();
  std::thread(all).join();
  in_a_forked_child();
  at_the_end_of_a_thread();
  on_another_stack();
}
