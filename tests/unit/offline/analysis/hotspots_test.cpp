// SPDX-License-Identifier: MIT
// memtrace's own output is compared with in tests/tools. Here: the sums, whichever way they are
// made, are those of an allocation after the other.
#include "analysis/hotspots.hpp"

#include <algorithm>
#include <deque>
#include <filesystem>
#include <map>
#include <random>
#include <set>
#include <string>
#include <unistd.h>
#include <vector>

#include "memprof/trace/writer.hpp"

#include "analysis/trace_source.hpp"
#include "support/catch2.hpp"

using namespace memprof;
using namespace memprof::analysis;

namespace {

constexpr std::size_t n_functions = 90;

std::string name_of(trace::location_code code) { return "f" + std::to_string(code); }

struct expectation {
  std::uint64_t samples = 0;
  std::map<std::string, std::uint64_t> self, under;
  std::map<std::pair<std::string, std::string>, std::uint64_t> pairs;
};

/// A trace of random stacks over two domains; `kinds` different ones, more or less.
expectation write_trace(std::filesystem::path const& file, unsigned kinds, unsigned n_blocks) {
  std::deque<std::string> names;
  std::vector<trace::location> locations;
  for (std::size_t i = 0; i <= n_functions; ++i) {
    locations.push_back({.filename = "a.cpp", .defname = names.emplace_back(name_of(i))});
  }
  trace::info about;
  about.sample_rate = 0.01;
  trace::writer to(file, about, [&](trace::location_code code) {
    return std::span<trace::location const>(&locations[code], 1);
  });
  expectation expected;
  std::mt19937 random(11);
  for (unsigned i = 0; i < n_blocks; ++i) {
    std::mt19937 shape(random() % kinds);
    std::vector<trace::location_code> stack(shape() % 12);
    // Skewed, and with recursion. Some functions are outermost only, and lead to one other.
    for (auto& code : stack) {
      code = 31 + static_cast<trace::location_code>(shape() % (1 + shape() % (n_functions - 30)));
    }
    if (stack.size() > 1 && shape() % 2 == 0) {
      stack.front() = 1 + static_cast<trace::location_code>(shape() % 30);
      stack.back() = 60 + stack.front();
    }
    std::uint64_t const n = 1 + random() % 3;
    to.allocation(std::chrono::microseconds(i), trace::heap::minor, 3, n, stack,
                  static_cast<std::uint16_t>(random() % 2));
    expected.samples += n;
    if (stack.empty()) continue;
    std::string const f = name_of(stack.back());
    expected.self[f] += n;
    expected.under[f] += n;
    for (auto const caller : std::set(stack.begin(), stack.end() - 1)) {
      expected.under[name_of(caller)] += n;
      ++expected.pairs[{f, name_of(caller)}];
    }
  }
  to.close();
  return expected;
}

void compare(unsigned kinds, unsigned n_blocks) {
  auto const file = std::filesystem::temp_directory_path() /
                    ("memprof-hotspots-" + std::to_string(::getpid()) + ".ctf");
  expectation expected = write_trace(file, kinds, n_blocks);
  trace_source source(file.string(), false);
  hotspots const h = find_hotspots(source, nullptr);
  std::filesystem::remove(file);
  CHECK(h.samples == expected.samples);
  CHECK(h.functions.size() > 10);
  std::size_t callers = 0;
  for (hot_function const& f : h.functions) {
    CHECK(f.samples == expected.self[f.function]);
    for (hot_caller const& c : f.callers) {
      ++callers;
      CHECK(c.blocks == expected.pairs[{f.function, c.function}]);
      CHECK(c.of_caller == expected.under[c.function]);
    }
  }
  CHECK(callers > 10);
  // Functions that allocate much under some caller are all there.
  for (auto const& [f, samples] : expected.self) {
    bool const called = std::ranges::any_of(
        expected.pairs, [&name = f](auto const& p) { return p.first.first == name; });
    if (called && static_cast<double>(samples) > 0.005 * static_cast<double>(h.samples)) {
      CHECK(std::ranges::count(h.functions, f, &hot_function::function) == 1);
    }
  }
}

}  // namespace

TEST_CASE("hotspots of a trace with few different stacks") { compare(300, 30'000); }

// More than the tree of stacks may have nodes.
TEST_CASE("hotspots of a trace with many different stacks") { compare(1'000'000, 60'000); }
