// SPDX-License-Identifier: MIT
//
// What it costs to take a stack, of 10, 30 and 60 frames: our methods, interning included or not,
// beside the unwinder of the C++ runtime and glibc's backtrace().
//
//     callstack [ROUNDS]
//
// All are measured in turns, ROUNDS (default 61) times; the table has medians, in nanoseconds.
// The functions on the stack keep frame pointers; "other code" does not.
#include "memprof/callstack.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <execinfo.h>
#include <span>
#include <unwind.h>
#include <vector>

#include "callstack/callstack.hpp"

namespace {

using memprof::callstack_method;
using memprof::callstack::largest_stack;

std::array<std::uintptr_t, largest_stack> taken;
std::array<void*, largest_stack> taken_by_others;
std::size_t depth_wanted = 0;

void by_capture() {
  memprof::callstack::capture(std::span{taken}.first(depth_wanted), __builtin_frame_address(0));
}

void by_capture_and_table() {
  const std::size_t n =
      memprof::callstack::capture(std::span{taken}.first(depth_wanted), __builtin_frame_address(0));
  if (memprof::callstack::intern(std::span{taken}.first(n)) == 0) std::abort();
}

void by_unwinder() {
  std::size_t count = 0;
  _Unwind_Backtrace(
      [](_Unwind_Context* context, void* to) {
        auto& n = *static_cast<std::size_t*>(to);
        taken[n] = _Unwind_GetIP(context);
        return ++n == depth_wanted ? _URC_END_OF_STACK : _URC_NO_REASON;
      },
      &count);
}

void by_glibc() { backtrace(taken_by_others.data(), static_cast<int>(depth_wanted)); }

struct contender {
  char const* name;
  callstack_method method;
  void (*take)();
  int times;
  bool in_other_code;
};
constexpr contender contenders[] = {
    {"frame pointers", callstack_method::frame_pointers, by_capture, 1000, false},
    {"automatic", callstack_method::automatic, by_capture, 1000, false},
    {"automatic, other code", callstack_method::automatic, by_capture, 1000, true},
    {"automatic, interned", callstack_method::automatic, by_capture_and_table, 1000, false},
    {"_Unwind_Backtrace", callstack_method::automatic, by_unwinder, 20, false},
    {"backtrace()", callstack_method::automatic, by_glibc, 20, false},
};

contender const* running = nullptr;
double result = 0.0;

/// Makes the compiler set up a frame pointer in the function that this is inlined into.
[[gnu::always_inline]] inline void keep_frame_pointer() {
  asm volatile("" : : "r"(__builtin_frame_address(0)));
}

[[gnu::noinline]] void measure() {
  keep_frame_pointer();
  running->take();
  auto const begin = std::chrono::steady_clock::now();
  for (int i = 0; i < running->times; ++i) running->take();
  std::chrono::duration<double, std::nano> const spent = std::chrono::steady_clock::now() - begin;
  result = spent.count() / running->times;
}

// Eight functions that call each other, so that their return addresses differ.
template <int N>
[[gnu::noinline]] void with_fp(int n) {
  keep_frame_pointer();
  if (n <= 0) {
    measure();
  } else {
    with_fp<(N + 1) % 8>(n - 1);
  }
  asm volatile("");
}
template <int N>
[[gnu::noinline]] void without_fp(int n) {
  char some[16 + 8 * N];
  asm volatile("" : : "r"(some) : "memory");
  if (n <= 0) {
    measure();
  } else {
    without_fp<(N + 1) % 8>(n - 1);
  }
  asm volatile("");
}

}  // namespace

int main(int argc, char** argv) {
  memprof::callstack::begin_thread();  // as the sampler does
  int const rounds = argc > 1 ? std::atoi(argv[1]) : 61;
  constexpr int depths[] = {10, 30, 60};
  constexpr std::size_t count = std::size(contenders);
  std::vector<double> times[count][std::size(depths)];
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t d = 0; d < std::size(depths); ++d) {
      depth_wanted = static_cast<std::size_t>(depths[d]);
      for (std::size_t i = 0; i < count; ++i) {
        running = &contenders[i];
        memprof::set_callstack_method(running->method);
        (running->in_other_code ? without_fp<0> : with_fp<0>)(depths[d] + 5);
        times[i][d].push_back(result);
      }
    }
  }
  std::printf("%-24s", "ns, medians");
  for (int const depth : depths) std::printf("%9d", depth);
  std::printf("   of the unwinder's at 30\n");
  double unwinder = 0.0;
  auto const median = [](std::vector<double>& v) {
    std::nth_element(v.begin(), v.begin() + static_cast<std::ptrdiff_t>(v.size() / 2), v.end());
    return v[v.size() / 2];
  };
  unwinder = median(times[4][1]);
  for (std::size_t i = 0; i < count; ++i) {
    std::printf("%-24s", contenders[i].name);
    for (auto& v : times[i]) std::printf("%9.0f", median(v));
    std::printf("%11.3f\n", median(times[i][1]) / unwinder);
  }
}
