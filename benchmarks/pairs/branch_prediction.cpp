// SPDX-License-Identifier: MIT
#include "branch_prediction.hpp"

#include <chrono>

namespace pairs {
namespace {

[[gnu::noinline]] void callee() { asm volatile(""); }
void (*volatile next)() = &callee;
/// As a pass-through: a jump through a pointer in memory.
[[gnu::noinline]] void hop() { next(); }

constexpr int calls = 64;

template <class Body>
double nanoseconds(Body body) {
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < calls; ++i) body();
  const std::chrono::duration<double, std::nano> spent = std::chrono::steady_clock::now() - begin;
  return spent.count();
}

}  // namespace

bool indirect_calls_are_predicted() {
  void (*function)() = &hop;
  // The compiler must not know whom it calls.
  asm volatile("" : "+r"(function));
  const double direct = nanoseconds([] { callee(); });
  const double indirect = nanoseconds([function] { function(); });
  return indirect < 2 * direct;
}

}  // namespace pairs
