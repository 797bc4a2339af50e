// SPDX-License-Identifier: MIT
//
// What it costs to find out whether an interrupt may be raised, and to raise it: the pre-flight,
// warm and with nothing known, beside the plain walk of the unwinder and a plain throw, at depths
// of 10, 30 and 60 frames of which every fifth catches and rethrows.
//
//     preflight [ROUNDS]
//
// All are measured in turns, ROUNDS (default 31) times; the table has medians.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <new>
#include <string>
#include <unwind.h>
#include <vector>

#include "memprof/memprof.hpp"

#include "delivery/delivery.hpp"

namespace {

using namespace memprof::literals;
using memprof::delivery::attempt;
using memprof::delivery::decision;

attempt ask;
std::function<void()> at_the_bottom;

[[gnu::noinline]] void frames(int n);

[[gnu::noinline]] void rethrowing_frame(int n) {
  try {
    frames(n - 1);
  } catch (...) {
    asm volatile("");
    throw;
  }
  asm volatile("");
}

[[gnu::noinline]] void frames(int n) {
  std::string cleanup;
  asm volatile("" : : "r"(&cleanup) : "memory");
  if (n <= 1) {
    at_the_bottom();
  } else if (n % 5 == 0) {
    rethrowing_frame(n);
  } else {
    frames(n - 1);
  }
  asm volatile("");
}

[[gnu::noinline]] void boundary(int n) {
  ask = {};
  ask.boundary = __builtin_frame_address(0);
  try {
    frames(n);
  } catch (std::bad_alloc const&) {
  }
}

double nanoseconds_each(int times, std::function<void()> const& f) {
  auto const begin = std::chrono::steady_clock::now();
  for (int i = 0; i < times; ++i) f();
  std::chrono::duration<double, std::nano> const taken = std::chrono::steady_clock::now() - begin;
  return taken.count() / times;
}

double walk_of_unwinder() {
  return nanoseconds_each(100, [] {
    _Unwind_Backtrace(
        [](_Unwind_Context* context, void*) {
          return _Unwind_GetCFA(context) > reinterpret_cast<std::uintptr_t>(ask.boundary)
                     ? _URC_END_OF_STACK
                     : _URC_NO_REASON;
        },
        nullptr);
  });
}

void require_deliverable(decision const& d) {
  if (d.deliver()) return;
  std::fprintf(stderr, "preflight: refused: %s\n", d.reason);
  std::exit(1);
}

double preflight_warm() {
  require_deliverable(memprof::delivery::preflight(ask));
  return nanoseconds_each(1000, [] { require_deliverable(memprof::delivery::preflight(ask)); });
}

double preflight_cold() {
  double best = 1e300;  // each is one run: the least disturbed counts
  for (int i = 0; i < 5; ++i) {
    memprof::delivery::forget_code();
    best = std::min(
        best, nanoseconds_each(1, [] { require_deliverable(memprof::delivery::preflight(ask)); }));
  }
  return best;
}

double at_depth(int n, double (*measure)()) {
  double result = 0.0;
  at_the_bottom = [&] { result = measure(); };
  boundary(n);
  return result;
}

double throw_and_catch(int n) {
  at_the_bottom = [] { throw std::bad_alloc(); };
  return nanoseconds_each(20, [n] { boundary(n); });
}

/// An interrupt from the limit that is hit to the error in hand, against the same task unhit.
double delivery(int n) {
  static bool hit;
  at_the_bottom = [] { ::operator delete(::operator new(hit ? 1 << 20 : 16)); };
  auto const run = [n] {
    return nanoseconds_each(20, [n] {
      (void)memprof::run_limited({.allocations = 1_KiB, .count = memprof::counting::exact},
                                 [n] { frames(n); });
    });
  };
  hit = true;
  double const interrupted = run();
  hit = false;
  return interrupted - run();
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<long>(values.size() / 2),
                   values.end());
  return values[values.size() / 2];
}

}  // namespace

int main(int argc, char** argv) {
  int const rounds = argc > 1 ? std::atoi(argv[1]) : 31;
  if (rounds < 1) {
    std::fprintf(stderr, "preflight: ROUNDS must be a positive number, not '%s'\n", argv[1]);
    return 2;
  }
  (void)memprof::limit_allocations(1_KiB, [] {});  // classifies the modules

  constexpr int depths[] = {10, 30, 60};
  struct row {
    char const* name;
    double (*measure)(int);
    std::vector<double> values[3] = {};
  };
  row rows[] = {
      {"walk by _Unwind_Backtrace", [](int n) { return at_depth(n, walk_of_unwinder); }},
      {"pre-flight, warm", [](int n) { return at_depth(n, preflight_warm); }},
      {"pre-flight, nothing known", [](int n) { return at_depth(n, preflight_cold); }},
      {"throw and catch", throw_and_catch},
      {"interrupt: from the hit to the error", delivery},
  };
  for (int round = 0; round < rounds; ++round) {
    for (row& r : rows) {
      for (int d = 0; d < 3; ++d) r.values[d].push_back(r.measure(depths[d]));
    }
  }
  std::printf("%-40s %10s %10s %10s   ns, medians of %d\n", "frames", "10", "30", "60", rounds);
  for (row& r : rows) {
    std::printf("%-40s %10.0f %10.0f %10.0f\n", r.name, median(r.values[0]), median(r.values[1]),
                median(r.values[2]));
  }
}
