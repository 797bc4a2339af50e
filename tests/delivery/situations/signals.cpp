// SPDX-License-Identifier: MIT
//
// Allocations in signal handlers: between any two instructions of the interrupted code.
#include <csignal>
#include <sys/mman.h>

#include "support/situation.hpp"

namespace {

using namespace memprof::test;

constexpr std::size_t stack_size = 256 * 1024;

void install(int flags) {
  struct sigaction action {};
  action.sa_handler = [](int) { interruption(); };
  action.sa_flags = flags;
  sigaction(SIGUSR1, &action, nullptr);
}

bool is_unblocked() {
  sigset_t now;
  sigprocmask(SIG_SETMASK, nullptr, &now);
  return sigismember(&now, SIGUSR1) == 0;
}

MEMPROF_SITUATION(signal_handler_frame, must_defer) {
  check_afterwards(is_unblocked);
  install(0);
  std::raise(SIGUSR1);
}

MEMPROF_SITUATION(signal_handler_on_another_stack, must_defer) {
  check_afterwards(is_unblocked);
  stack_t other{};
  other.ss_sp =
      mmap(nullptr, stack_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  other.ss_size = stack_size;
  sigaltstack(&other, nullptr);
  install(SA_ONSTACK);
  std::raise(SIGUSR1);
}

MEMPROF_SITUATION(signal_handler_with_own_boundary, must_deliver) {
  check_afterwards(is_unblocked);
  struct sigaction action {};
  action.sa_handler = [](int) { in_boundary([] { interruption(); }); };
  sigaction(SIGUSR1, &action, nullptr);
  std::raise(SIGUSR1);
}

[[gnu::noinline]] void fault(int volatile* nowhere) {
  witness const here;
  *nowhere = 1;
}

void* page = nullptr;

// The frame was interrupted at an instruction that no exception is expected from.
MEMPROF_SITUATION(signal_handler_of_a_fault, must_defer) {
  struct sigaction action {};
  action.sa_handler = [](int) {
    interruption();
    mprotect(page, 4096, PROT_READ | PROT_WRITE);
  };
  sigaction(SIGSEGV, &action, nullptr);
  page = mmap(nullptr, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  fault(static_cast<int*>(page));
}

}  // namespace
