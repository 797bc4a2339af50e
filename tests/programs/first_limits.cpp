// SPDX-License-Identifier: MIT
// The first limits of a process, in many threads at once: one of them classifies the loaded
// modules; the others are hit during that, and must be interrupted as soon as it is done.
#include <latch>
#include <thread>
#include <vector>

#include "memprof/memprof.hpp"

#include "check.hpp"

using namespace memprof::literals;

int main() {
  constexpr int threads = 8;
  std::latch begin{threads};
  std::vector<std::jthread> running;
  for (int i = 0; i < threads; ++i) {
    running.emplace_back([&] {
      begin.arrive_and_wait();
      auto const r =
          memprof::run_limited({.allocations = 64_B, .count = memprof::counting::exact}, [] {
            while (true) ::operator delete(::operator new(100));
          });
      CHECK(!r && r.error().deliveries() == 1);
    });
  }
}
