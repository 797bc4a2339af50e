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
  // The exception has one type for the library and for the program, even if the program hides its
  // own.
  bool caught = false;
  (void)memprof::limit_allocations(16_MiB, [&] {
    try {
      return allocate(32'768);
    } catch (memprof::limit_exceeded const& interrupt) {
      caught = interrupt.kind() == memprof::limit_kind::allocations;
      throw;
    }
  });
  if (!caught) {
    std::puts("the interrupt was not caught as memprof::limit_exceeded");
    return 1;
  }
  if (memprof::linked_version() != memprof::version ||
      memprof::version != CONSUMER_MEMPROF_VERSION) {
    std::puts("headers, library and package are not of one version");
    return 1;
  }
  std::puts(over.error().message().c_str());
  return 0;
}
