// SPDX-License-Identifier: MIT
// Signals, whose handlers allocate or interrupt allocations.
#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <execinfo.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/time.h>
#include <unistd.h>

#include "situation.hpp"
#include "ticking.hpp"

#define SITUATION(name) MEMPROF_SITUATION_IN("signals", name)

namespace {

using situations::check;
using situations::on;
using situations::say;
using situations::spin_until;
using situations::tick;
using situations::ticks;
using situations::work;

// The frame of a signal may take 3 KB (AVX-512) or 11 KB (AMX): 8 KB are left beside it.
SITUATION(small_alternate_stack) {
  std::size_t const size = 8192 + std::max<std::size_t>(getauxval(AT_MINSIGSTKSZ), 2048) - 2048;
  stack_t stack{};
  stack.ss_sp = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  stack.ss_size = size;
  sigaltstack(&stack, nullptr);
  on(
      SIGUSR1,
      [](int) {
        for (std::size_t k = 1; k < 200; ++k) std::free(std::malloc(k * 10));
        ticks = ticks + 1;
      },
      SA_ONSTACK);
  for (int i = 0; i < 200; ++i) raise(SIGUSR1);
  say("%d handled", static_cast<int>(ticks));
  return 0;
}

SITUATION(allocating_handler) {
  on(
      SIGALRM,
      [](int) {
        work(1, 20);
        ticks = ticks + 1;
      },
      SA_RESTART);
  tick(1000);
  spin_until(200);
  tick(0);
  say("a handler allocated 200 times in 1 ms each, sum %u", work(2, 200));
  return 0;
}

// The handler interrupts malloc and free themselves, and allocates nothing.
SITUATION(interrupted_malloc) {
  on(
      SIGALRM, [](int) { ticks = ticks + 1; }, SA_RESTART);
  tick(500);
  std::uint32_t sum = 0;
  std::uint32_t rounds = 0;
  while (ticks < 200) sum = work(rounds++ % 7, 100);
  tick(0);
  say("last sums agree: %d", sum == work((rounds - 1) % 7, 100));
  return 0;
}

SITUATION(profiling_timer) {
  void* warm[4];
  backtrace(warm, 4);  // loads the unwinder
  on(
      SIGPROF,
      [](int) {
        void* frames[64];
        if (backtrace(frames, 64) > 2) ticks = ticks + 1;
      },
      SA_RESTART);
  itimerval timer{};
  timer.it_interval.tv_usec = timer.it_value.tv_usec = 2000;
  setitimer(ITIMER_PROF, &timer, nullptr);
  while (ticks < 15) work(3, 100);
  timer = {};
  setitimer(ITIMER_PROF, &timer, nullptr);
  say("15 backtraces out of malloc, sum %u", work(3, 100));
  return 0;
}

SITUATION(nested_handlers) {
  on(
      SIGUSR1,
      [](int) {
        work(4, 5);
        ticks = ticks + 1;
        if (ticks < 30) raise(SIGUSR1);
        work(5, 5);
      },
      SA_NODEFER);
  raise(SIGUSR1);
  say("%d deep", static_cast<int>(ticks));
  return 0;
}

char* guarded = nullptr;

SITUATION(write_barrier) {
  guarded = static_cast<char*>(aligned_alloc(4096, std::size_t{64} * 4096));
  std::memset(guarded, 1, std::size_t{64} * 4096);
  struct sigaction action {};
  action.sa_flags = SA_SIGINFO;
  action.sa_sigaction = [](int, siginfo_t* info, void*) {
    auto const page = reinterpret_cast<std::uintptr_t>(info->si_addr) & ~std::uintptr_t{4095};
    mprotect(reinterpret_cast<void*>(page), 4096, PROT_READ | PROT_WRITE);
    ticks = ticks + 1;
  };
  sigaction(SIGSEGV, &action, nullptr);
  mprotect(guarded, std::size_t{64} * 4096, PROT_READ);
  for (std::size_t i = 0; i < 64; ++i) guarded[i * 4096 + 5] = 2;
  say("%d pages written to", static_cast<int>(ticks));
  std::free(guarded);
  work(9, 200);
  return 0;
}

SITUATION(timer_threads) {
  static std::atomic<int> fired{0};
  sigevent event{};
  event.sigev_notify = SIGEV_THREAD;
  event.sigev_notify_function = [](sigval) {
    work(12, 20);
    ++fired;
  };
  timer_t timer{};
  check(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0, "timer_create");
  itimerspec often{};
  often.it_interval.tv_nsec = often.it_value.tv_nsec = 2'000'000;
  timer_settime(timer, 0, &often, nullptr);
  while (fired < 20) work(13, 10);
  timer_delete(timer);
  say("20 threads of a timer");
  return 0;
}

SITUATION(signals_from_descriptor) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR2);
  sigprocmask(SIG_BLOCK, &set, nullptr);
  int const descriptor = signalfd(-1, &set, 0);
  int got = 0;
  for (int i = 0; i < 50; ++i) {
    work(14, 10);
    raise(SIGUSR2);
    signalfd_siginfo info{};
    got += read(descriptor, &info, sizeof info) == sizeof info && info.ssi_signo == SIGUSR2;
  }
  say("%d signals read", got);
  return 0;
}

}  // namespace
