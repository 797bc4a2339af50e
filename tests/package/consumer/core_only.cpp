// SPDX-License-Identifier: MIT
/// \file
/// A program that links memprof::core alone, and so feeds nothing to the sampler: a limit, which
/// could never fire, says so.

#include <cstdio>

#include <memprof/memprof.hpp>

using namespace memprof::literals;

int main() {
  try {
    (void)memprof::limit_allocations(1_MiB, [] {});
  } catch (memprof::not_active const& error) {
    std::puts(error.what());
    return 0;
  }
  std::puts("limit_allocations did not throw not_active");
  return 1;
}
