// SPDX-License-Identifier: MIT
/// \file
/// The frames of the cases: included twice, compiled in two ways.

#include <alloca.h>
#include <cstddef>
#include <cstdint>

#include "unit/runtime/callstack/cases/cases.hpp"

namespace {

using memprof::test::called;

struct alignas(64) aligned {
  char bytes[64];
};

[[gnu::noinline]] std::uint64_t leaf(called f, std::uint64_t x) {
  f();
  return x + 1;
}

[[gnu::noinline]] std::uint64_t dynamic(called f, std::size_t n) {
  auto* const memory = static_cast<char volatile*>(alloca(n));
  memory[n - 1] = 1;
  f();
  return leaf(f, 3) + static_cast<std::uint64_t>(memory[n - 1]);
}

[[gnu::noinline]] std::uint64_t realigned(called f, std::size_t n) {
  aligned a{};
  asm volatile("" ::"r"(&a) : "memory");
  return dynamic(f, n) + static_cast<std::uint64_t>(a.bytes[0]);
}

[[gnu::noinline]] std::uint64_t realigned_and_dynamic(called f, std::size_t n) {
  aligned a{};
  auto* const memory = static_cast<char volatile*>(alloca(n));
  memory[0] = 1;
  asm volatile("" ::"r"(&a), "r"(memory) : "memory");
  f();
  return realigned(f, n) + static_cast<std::uint64_t>(memory[0]);
}

[[gnu::noinline]] std::uint64_t large(called f, std::size_t n) {
  char volatile bytes[20'000];
  bytes[n] = 1;
  return realigned_and_dynamic(f, n) + static_cast<std::uint64_t>(bytes[n]);
}

// So many values that live across the call, that rbp is one of the registers that hold them.
[[gnu::noinline]] std::uint64_t many(called f, std::uint64_t a, std::uint64_t b, std::uint64_t c,
                                     std::uint64_t d, std::uint64_t e) {
  std::uint64_t g = a * 3 + b;
  std::uint64_t h = b * 5 + c;
  asm volatile("" : "+r"(g), "+r"(h));
  f();
  const std::uint64_t inner = large(f, 100);
  return a + b * c + d * e + g * h + inner;
}

std::uint64_t volatile sink;
[[gnu::noinline]] void all_shapes(called f) { sink = many(f, 1, 2, 3, 4, 5) + leaf(f, 1); }

}  // namespace
