// SPDX-License-Identifier: MIT
//
// Our steps against those of the unwinder that the C++ runtime uses.
#include <algorithm>
#include <cstdlib>
#include <regex>
#include <string>
#include <unwind.h>
#include <vector>

#include "callstack/callstack.hpp"
#include "support/catch2.hpp"

using namespace memprof::callstack;

namespace {

/// The frames of this function's callers by libgcc, outermost last.
[[gnu::noinline]] void by_unwinder(std::vector<std::uintptr_t>& frames) {
  frames.clear();
  _Unwind_Backtrace(
      [](_Unwind_Context* context, void* to) {
        static_cast<std::vector<std::uintptr_t>*>(to)->push_back(_Unwind_GetIP(context));
        return _URC_NO_REASON;
      },
      &frames);
}

struct comparison {
  int walks = 0;
  int frames = 0;
  int different = 0;
  int short_of = 0;  ///< walks that ended before the unwinder's
};
comparison total;

/// Walks both ways from here. The first frame is this function's own, at two places in it.
[[gnu::noinline]] void compare_walks() {
  static std::vector<std::uintptr_t> expected;
  by_unwinder(expected);
  frame f = frame_here();
  ++total.walks;
  // libgcc reports a last frame without code.
  while (!expected.empty() && expected.back() == 0) expected.pop_back();
  std::size_t i = 0;
  while (true) {
    procedure p;
    std::uintptr_t cfa = 0;
    if (!find_procedure(f.pc - 1, p)) break;
    const step_rule rule = rule_at(p, f.pc - 1);
    const std::uintptr_t pc = f.pc;
    const bool more = step(rule, f, cfa);
    // by_unwinder's context begins at its caller's frame or its own, by the unwinder's version.
    if (i == 0) {
      while (i < expected.size() && (expected[i] < p.begin || expected[i] >= p.end)) ++i;
    } else {
      total.different += i >= expected.size() || expected[i] != pc;
    }
    ++total.frames;
    ++i;
    if (!more) break;
  }
  if (i < expected.size()) ++total.short_of;
}

int compare_ints(void const* a, void const* b) {
  compare_walks();
  return *static_cast<int const*>(a) - *static_cast<int const*>(b);
}

/// A frame that realigns its stack and has a size known only at run time.
struct alignas(64) aligned {
  char bytes[64];
};
[[gnu::noinline]] void in_a_realigned_frame(std::size_t n) {
  aligned a{};
  auto* const dynamic = static_cast<char volatile*>(__builtin_alloca(n));
  dynamic[0] = 1;
  asm volatile("" ::"r"(&a) : "memory");
  compare_walks();
}

[[gnu::noinline]] int deep(int n) {
  if (n == 0) {
    compare_walks();
    return 0;
  }
  return deep(n - 1) + 1;
}

}  // namespace

TEST_CASE("callstack: steps as the unwinder does") {
  total = {};
  compare_walks();
  in_a_realigned_frame(100);
  CHECK(deep(500) == 500);
  int numbers[200];
  for (int& n : numbers) n = std::rand();
  std::qsort(numbers, 200, sizeof(int), compare_ints);
  std::vector<int> sorted(numbers, numbers + 200);
  std::sort(sorted.begin(), sorted.end(), [](int a, int b) {
    compare_walks();
    return a < b;
  });
  CHECK(total.walks > 1000);
  CHECK(total.frames > 10 * total.walks);
  CHECK(total.different == 0);
  CHECK(total.short_of == 0);
}

TEST_CASE("callstack: no procedure where there is no code") {
  procedure p;
  int data = 0;
  CHECK_FALSE(find_procedure(reinterpret_cast<std::uintptr_t>(&data), p));
  CHECK_FALSE(find_procedure(0, p));
}

TEST_CASE("callstack: a procedure covers its function") {
  procedure p;
  const auto code = reinterpret_cast<std::uintptr_t>(&compare_walks);
  REQUIRE(find_procedure(code, p));
  CHECK(p.begin == code);
  CHECK(p.end > code);
  CHECK_FALSE(p.signal_frame);
  CHECK(p.return_register == detail::number_return);
}

TEST_CASE("callstack: damaged frames end a walk") {
  std::uintptr_t stack[4] = {0, 0, 0, 0};
  const auto at = reinterpret_cast<std::uintptr_t>(stack);
  std::uintptr_t cfa = 0;
  // fp below the stack pointer, not aligned, or the CFA not above it.
  frame below{.pc = 1, .sp = at, .fp = at - 64};
  CHECK_FALSE(step({.cfa_offset = 16, .cfa = cfa_from::fp}, below, cfa));
  frame odd{.pc = 1, .sp = at, .fp = at + 3};
  CHECK_FALSE(step({.cfa_offset = 16, .cfa = cfa_from::fp}, odd, cfa));
  frame flat{.pc = 1, .sp = at, .fp = at};
  CHECK_FALSE(step({.cfa_offset = 0, .cfa = cfa_from::sp}, flat, cfa));
  frame unknown{.pc = 1, .sp = at, .fp = at};
  CHECK_FALSE(step({}, unknown, cfa));
  frame good{.pc = 1, .sp = at, .fp = at};
  stack[1] = 0x1234;
  // Where the return address is depends on the processor: below the CFA, or above fp_offset.
  CHECK(step({.cfa_offset = 16, .fp_offset = -16, .cfa = cfa_from::sp}, good, cfa));
  CHECK(good.pc == 0x1234);
  CHECK(good.sp == at + 16);
}
