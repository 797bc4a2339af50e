// SPDX-License-Identifier: MIT
#include "memprof/sampling_audit.hpp"

#include "copies/copies.hpp"
#include "engine/gap_audit.hpp"

namespace memprof::inline v0 {

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
          .shape_p_value = v.shape_p};
}

}  // namespace memprof::inline v0
