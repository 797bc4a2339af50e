// SPDX-License-Identifier: MIT
// Writes a trace of functions whose blocks are known, sampled by chance.
//
//     test_simulated_traces FILE SEED RATE LINE...
//
// A line is NAME:FUNCTIONS:BLOCKS:WORDS[:temporary]: so many functions, NAME0, NAME1 and so on, of
// which each has so many blocks of so many words (with the header's). They are kept, or freed
// before anything else is allocated.
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <random>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "memprof/trace/writer.hpp"

namespace {

namespace trace = memprof::trace;

struct line {
  std::string name;
  std::uint64_t functions = 0, blocks = 0, words = 0;
  bool temporary = false;
};

line parsed(char const* text) {
  std::istringstream in(text);
  std::vector<std::string> parts;
  for (std::string part; std::getline(in, part, ':');) parts.push_back(part);
  if (parts.size() < 4) throw std::invalid_argument(text);
  return {.name = parts[0],
          .functions = std::stoull(parts[1]),
          .blocks = std::stoull(parts[2]),
          .words = std::stoull(parts[3]),
          .temporary = parts.size() > 4};
}

/// The samples of a block that has some: where its first one is, and those behind it.
std::uint64_t samples_of_sampled(std::uint64_t words, double rate, std::mt19937_64& random) {
  const double sampled = -std::expm1(static_cast<double>(words) * std::log1p(-rate));
  const double u = std::uniform_real_distribution(0.0, sampled)(random);
  const auto before = static_cast<std::uint64_t>(std::log1p(-u) / std::log1p(-rate));
  if (before + 1 >= words) return 1;
  return 1 + std::binomial_distribution(words - before - 1, rate)(random);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 5) return 2;
  std::mt19937_64 random(std::strtoull(argv[2], nullptr, 10));
  const double rate = std::strtod(argv[3], nullptr);
  std::vector<std::string> names{""};
  trace::location position;
  trace::info facts;
  facts.sample_rate = rate;
  trace::writer to(argv[1], facts, [&](trace::location_code code) {
    position = {.filename = "f.cpp", .defname = names[code], .line = 1};
    return std::span<trace::location const>(&position, 1);
  });
  std::chrono::microseconds time{0};
  for (char const* text : std::span(argv, static_cast<std::size_t>(argc)).subspan(4)) {
    const line l = parsed(text);
    const double sampled = -std::expm1(static_cast<double>(l.words) * std::log1p(-rate));
    for (std::uint64_t f = 0; f < l.functions; ++f) {
      const trace::location_code code = names.size();
      names.push_back(l.name + std::to_string(f));
      for (auto n = std::binomial_distribution(l.blocks, sampled)(random); n > 0; --n) {
        const auto block = to.allocation(++time, trace::heap::major, l.words - 1,
                                         samples_of_sampled(l.words, rate, random), {&code, 1});
        if (l.temporary) to.collection(time, block);
      }
    }
  }
  to.close();
}
