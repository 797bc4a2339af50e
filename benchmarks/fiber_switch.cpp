// SPDX-License-Identifier: MIT
/// \file
/// memprof-benchmark-fiber_switch: what it costs to switch stacks, to pause and resume a task, and
/// to make one. Prints the median of 41 runs of each, in nanoseconds per round.
#include <algorithm>
#include <array>
#include <boost/context/fiber.hpp>
#include <chrono>
#include <cstdio>
#include <cxxabi.h>
#include <thread>
#include <utility>

#include "memprof/fiber.hpp"
#include "memprof/memprof.hpp"

#include "fiber/context.hpp"

using namespace memprof::literals;

namespace {

constexpr int runs = 41;

/// Median time of one round of f, in nanoseconds.
template <class F>
void measure(char const* what, int rounds, F&& f) {
  std::array<double, runs> times{};
  for (int i = 0; i < rounds / 10 + 1; ++i) f();
  for (double& time : times) {
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < rounds; ++i) f();
    const std::chrono::duration<double, std::nano> taken = std::chrono::steady_clock::now() - start;
    time = taken.count() / rounds;
  }
  std::sort(times.begin(), times.end());
  std::printf("%-64s %10.1f\n", what, times[runs / 2]);
}

void bare_round_trip() {
  bool end = false;
  boost::context::fiber f{[&](boost::context::fiber&& back) {
    while (!end) back = std::move(back).resume();
    return std::move(back);
  }};
  measure("Boost.Context: there and back", 100'000, [&] { f = std::move(f).resume(); });
  end = true;
  f = std::move(f).resume();
}

struct looping {
  memprof::fiber::context flow;
  bool end = false;
};

void round_trip_with_exceptions() {
  looping l;
  const auto s = memprof::fiber::obtain_stack(64 * 1024, true, true);
  l.flow = memprof::fiber::context(
      s,
      [](void* p) noexcept {
        auto& self = *static_cast<looping*>(p);
        while (!self.end) self.flow.leave();
      },
      &l);
  measure("the same with exceptions and errno kept apart", 100'000, [&] { l.flow.enter(); });
  l.end = true;
  l.flow.enter();
  memprof::fiber::release_stack(s, true);
}

void pause_and_resume() {
  bool end = false;
  memprof::task t{memprof::limits{}, [&] {
                    while (!end) memprof::pause_point();
                  }};
  measure("task: pause_point and resume", 100'000, [&] { t.resume(); });
  end = true;
  t.resume();

  end = false;
  memprof::task l{memprof::limits{.allocations = 1_KiB, .count = memprof::counting::exact}, [&] {
                    while (!end) ::operator delete(::operator new(56));
                  }};
  measure("task: pause at an allocation limit, and resume", 100'000, [&] { l.resume(); });
  end = true;
  while (!l.done()) l.resume();

  end = false;
  memprof::task m{memprof::limits{.memory = 1_GiB}, [&] {
                    while (!end) memprof::pause_point();
                  }};
  (void)memprof::limit_memory(1_GiB, [&] {
    measure("the same with memory limits in the task and around its monitor", 100'000,
            [&] { m.resume(); });
  });
  end = true;
  m.resume();
}

void create_and_destroy() {
  using memprof::task_options;
  const auto with = [](task_options const& o) {
    memprof::task t{memprof::limits{}, o, [] {}};
    t.resume();
  };
  measure("task: make, run, destroy; pooled stack of 64 KiB, guarded", 20'000,
          [&] { with({.stack_size = 64_KiB}); });
  measure("the same, stack mapped and unmapped, no guard", 2'000,
          [&] { with({.stack_size = 64_KiB, .guard_page = false, .pool_stack = false}); });
  measure("the same, stack mapped and unmapped, guarded", 2'000,
          [&] { with({.stack_size = 64_KiB, .pool_stack = false}); });
  measure("task: make, pause, cancel, destroy; pooled", 10'000, [] {
    memprof::task t{memprof::limits{}, task_options{}, [] { memprof::pause_point(); }};
    t.resume();
    t.cancel();
  });
  measure("for comparison: std::thread made and joined", 500, [] { std::thread([] {}).join(); });
}

}  // namespace

int main() {
  std::printf("%-64s %10s\n", "", "ns");
  bare_round_trip();
  round_trip_with_exceptions();
  pause_and_resume();
  create_and_destroy();
}
