// SPDX-License-Identifier: MIT
#include <cstdio>
#include <stdexcept>

#include "memprof/fiber.hpp"

extern "C" [[gnu::visibility("default")]] void run_a_task() {
  try {
    memprof::task t({}, [] {});
    t.resume();
    std::puts("it ran");
  } catch (std::logic_error const& e) {
    std::puts(e.what());
  }
}
