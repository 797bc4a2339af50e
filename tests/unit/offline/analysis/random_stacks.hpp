// SPDX-License-Identifier: MIT
/// \file
/// A trace of random backtraces, some of which go on where an earlier one left off.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <random>
#include <span>
#include <string>
#include <unistd.h>
#include <vector>

#include "memprof/trace/reader.hpp"
#include "memprof/trace/writer.hpp"

namespace memprof::test {

/// domains     among which the blocks are.
/// depth       of a backtrace, at most.
/// codes       different ones; few, so that stacks share their beginnings.
struct random_stacks {
  std::uint32_t seed = 1;
  unsigned blocks = 1000;
  unsigned domains = 1;
  std::size_t depth = 30;
  memprof::trace::location_code codes = 4;
};

/// Code c is the function "f<c>".
///
/// returns     a reader of it. The file is gone already.
inline memprof::trace::reader read_random_stacks(random_stacks const& how) {
  namespace trace = memprof::trace;
  const auto file = std::filesystem::temp_directory_path() /
                    ("memprof-random-stacks-" + std::to_string(::getpid()) + ".ctf");
  std::vector<std::string> names;
  for (trace::location_code c = 0; c <= how.codes; ++c) names.push_back("f" + std::to_string(c));
  trace::location position;
  trace::writer to(file, {}, [&](trace::location_code code) {
    position = {.filename = "f.cpp", .defname = names[code], .line = 1};
    return std::span<trace::location const>(&position, 1);
  });
  std::mt19937 random(how.seed);
  std::vector<std::vector<trace::location_code>> stacks(how.domains);
  for (unsigned i = 0; i < how.blocks; ++i) {
    const auto domain = static_cast<std::uint16_t>(random() % how.domains);
    auto& stack = stacks[domain];
    stack.resize(random() % (stack.size() + 1));
    const std::size_t length = random() % (how.depth + 1);
    while (stack.size() < length) stack.push_back(1 + random() % how.codes);
    to.allocation(std::chrono::microseconds{i}, trace::heap::major, 1, 1, stack, domain);
  }
  to.close();
  trace::reader reader(file);
  std::filesystem::remove(file);
  return reader;
}

}  // namespace memprof::test
