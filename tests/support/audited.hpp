// SPDX-License-Identifier: MIT
/// \file
/// What the audit of the sampler has seen in a part of a test. Needs memprof_internal.
#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/engine.hpp"

namespace memprof::test {

/// The audit since it was made.
class audited {
 public:
  [[nodiscard]] engine::audit_totals totals() const {
    engine::audit_totals now = engine::read_audit();
    now.words -= before_.words;
    for (std::size_t i = 0; i < engine::audit_cells; ++i) {
      sampling::tally const& then = before_.cells[i];
      now.cells[i].samples -= then.samples;
      now.cells[i].expected -= then.expected;
      now.cells[i].squares -= then.squares;
    }
    return now;
  }
  [[nodiscard]] std::int64_t words() const { return totals().words; }
  [[nodiscard]] sampling::tally cell(std::size_t i) const { return totals().cells[i]; }
  [[nodiscard]] sampling::tally all() const {
    sampling::tally sum;
    for (sampling::tally const& t : totals().cells) sum += t;
    return sum;
  }
  [[nodiscard]] sampling::test_result verdict() const {
    return sampling::goodness_of_fit(totals().cells);
  }

 private:
  engine::audit_totals before_ = engine::read_audit();
};

/// An allocation as the engine sees it, without memory: the fast path and, if it must, the slow
/// one. Gives its samples.
inline std::uint64_t count_block(std::int64_t words) noexcept {
  if ((engine::current.countdown -= words) >= 0) return 0;
  const engine::event e{words};
  return e.n_samples();
}

}  // namespace memprof::test
