// SPDX-License-Identifier: MIT
#include "measurements.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <new>
#include <vector>

#include <memprof/bounds.hpp>
#include <memprof/memprof.hpp>

#include "table.hpp"

namespace statistics {
namespace {

using namespace memprof::literals;
using memprof::words;

constexpr std::int64_t words_of(std::size_t size) {
  return static_cast<std::int64_t>((size + 7) / 8 + 1);
}

/// Words that a task got before it was interrupted by `limit`, in blocks of `size` bytes.
std::int64_t words_granted(words limit, std::size_t size) {
  std::int64_t granted = 0;
  static_cast<void>(memprof::limit_allocations(limit, [&] {
    for (;;) {
      ::operator delete(::operator new(size));
      granted += words_of(size);
    }
  }));
  return granted;
}

void interrupts(std::filesystem::path const& folder, int runs) {
  table t(folder, "measured", "share\tmeasured\tpredicted");
  for (words const limit : {10_kw, 100_kw, 1000_kw}) {
    double const l = static_cast<double>(limit.count());
    double const spread = std::sqrt(l * 1e4);
    double const first = std::max(0.0, l - 4 * spread);
    double const width = (l + 4 * spread - first) / 40;
    for (std::size_t const size : {std::size_t{7}, std::size_t{64}, std::size_t{4096}}) {
      std::vector<int> bins(40, 0);
      for (int i = 0; i < runs; ++i) {
        // The block that holds the sample is not granted; it is in the middle of it on average.
        double const at = static_cast<double>(words_granted(limit, size)) +
                          0.5 * static_cast<double>(words_of(size));
        auto const bin = static_cast<std::size_t>(std::max(0.0, (at - first) / width));
        if (bin < bins.size()) ++bins[bin];
      }
      double below =
          memprof::probability_interrupted(limit, words{static_cast<std::int64_t>(first)});
      for (std::size_t i = 0; i < bins.size(); ++i) {
        double const end = first + width * static_cast<double>(i + 1);
        double const up_to =
            memprof::probability_interrupted(limit, words{static_cast<std::int64_t>(end)});
        t.row({(end - width / 2) / l, bins[i] / (runs * width / l), (up_to - below) / (width / l)});
        below = up_to;
      }
      t.next_curve();
    }
  }
}

/// Live heaps of blocks of 56 bytes, 8 words each: how far off their estimates are.
void live(std::filesystem::path const& folder, int runs) {
  constexpr std::size_t size = 56;
  table t(folder, "live", "heap\tspread\tpredicted\tcovered\tn");
  for (double mebibytes = 0.25; mebibytes <= 256; mebibytes *= 2) {
    double const truth = mebibytes * 1048576;
    std::vector<void*> blocks(static_cast<std::size_t>(truth / (8 * words_of(size))));
    int const repeated = std::max(100, static_cast<int>(runs / (2 + mebibytes)));
    double squares = 0;
    int covered = 0;
    for (int i = 0; i < repeated; ++i) {
      memprof::budget b({.memory = memprof::max_allocation_limit});
      static_cast<void>(b.run([&] {
        for (void*& block : blocks) block = ::operator new(size);
        memprof::estimate const e = b.live();
        for (void* const block : blocks) ::operator delete(block);
        double const error = (static_cast<double>(e.value.count()) - truth) / truth;
        squares += error * error;
        covered += static_cast<double>(e.lower.count()) <= truth &&
                   truth <= static_cast<double>(e.upper.count());
      }));
    }
    t.row({mebibytes, std::sqrt(squares / repeated), std::sqrt(80'000.0 / truth),
           static_cast<double>(covered) / repeated, static_cast<double>(repeated)});
  }
}

}  // namespace

void write_measurements(std::filesystem::path const& folder, int runs) {
  interrupts(folder, runs);
  live(folder, runs);
}

}  // namespace statistics
