// SPDX-License-Identifier: MIT
/// \file
/// A program that links memprof::memprof: a task over its limit is interrupted, another is not.

#include <cstdio>
#include <memory>
#include <vector>

#include <memprof/memprof.hpp>

using namespace memprof::literals;

namespace {

/// Allocates n blocks of 8 KiB, and returns how many it got.
std::size_t allocate(std::size_t n) {
  std::vector<std::unique_ptr<char[]>> blocks;
  for (std::size_t i = 0; i < n; ++i) blocks.push_back(std::make_unique<char[]>(8192));
  return blocks.size();
}

}  // namespace

int main() {
  if (!memprof::is_active()) {
    std::puts("nothing feeds the sampler: the replacement of operator new is not in the program");
    return 1;
  }
  // 256 MiB under a limit of 16 MiB, and 1 MiB under one of 256 MiB: the chance that either goes
  // the other way is below 1e-100.
  auto over = memprof::limit_allocations(16_MiB, [] { return allocate(32'768); });
  if (over) {
    std::puts("a task sixteen times over its limit was not interrupted");
    return 1;
  }
  auto below = memprof::limit_allocations(256_MiB, [] { return allocate(128); });
  if (!below || below->value != 128) {
    std::puts("a task far below its limit was interrupted");
    return 1;
  }
  std::puts(over.error().message().c_str());
  return 0;
}
