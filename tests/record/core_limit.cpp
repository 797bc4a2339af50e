// SPDX-License-Identifier: MIT
// A program with memprof::core alone: its limit fires because libmemprof-preload.so is there.
#include <cstdio>
#include <memory>
#include <vector>

#include "memprof/memprof.hpp"

using namespace memprof::literals;

int main() {
  const auto r = memprof::limit_memory(1_MiB, [] {
    std::vector<std::unique_ptr<char[]>> kept;
    while (true) kept.push_back(std::make_unique<char[]>(1024));
  });
  std::puts(r.error().message().c_str());
}
