// SPDX-License-Identifier: MIT
#include "memprof/sampling_audit.hpp"

#include <algorithm>
#include <cmath>

#include "copies/copies.hpp"
#include "engine/estimate_audit.hpp"
#include "engine/gap_audit.hpp"

namespace memprof::inline v0 {
namespace {

sampling_audit::estimate_check check_of(engine::consumer who) noexcept {
  const engine::residual r = engine::read_residual(who);
  return {.samples = r.expected,
          .excess = r.excess,
          .deviation = std::sqrt(std::max(0.0, r.variance)),
          .p_value = r.p_value()};
}

}  // namespace

sampling_audit audit_sampling() noexcept {
  if (auto const* const other = copies::other()) return other->audit_sampling();
  const engine::audit_totals totals = engine::read_audit();
  const sampling::test_result v = sampling::goodness_of_fit(totals.cells);
  return {.samples = v.samples,
          .audited = words{totals.words},
          .expected = v.expected,
          .z = v.z,
          .p_value = v.p,
          .count_p_value = v.count_p,
          .shape_p_value = v.shape_p,
          .live = check_of(engine::consumer::live),
          .limits = check_of(engine::consumer::limits),
          .trace = check_of(engine::consumer::trace),
          .profile = check_of(engine::consumer::profile)};
}

}  // namespace memprof::inline v0
