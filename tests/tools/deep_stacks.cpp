// SPDX-License-Identifier: MIT
// Writes a trace of stacks as random recursion makes them: deep, and different after a few calls.
//
//     test_deep_stacks FILE STACKS DEPTH FUNCTIONS

#include <chrono>
#include <cstdlib>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "memprof/trace/writer.hpp"

int main(int argc, char** argv) {
  namespace trace = memprof::trace;
  if (argc != 5) return 2;
  auto const stacks = std::strtoul(argv[2], nullptr, 10);
  auto const depth = std::strtoul(argv[3], nullptr, 10);
  auto const functions = std::strtoul(argv[4], nullptr, 10);
  std::string name;
  trace::location position;
  trace::writer to(argv[1], {}, [&](trace::location_code code) {
    name = "f" + std::to_string(code);
    position = {.filename = "f.cpp", .defname = name, .line = static_cast<std::uint32_t>(code)};
    return std::span<trace::location const>(&position, 1);
  });
  std::mt19937 random(1);
  std::vector<trace::location_code> stack(depth);
  for (unsigned long i = 0; i < stacks; ++i) {
    for (auto& code : stack) code = 1 + random() % functions;
    to.allocation(std::chrono::microseconds{i}, trace::heap::major, 2, 1, stack);
  }
  to.close();
}
