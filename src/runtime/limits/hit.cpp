// SPDX-License-Identifier: MIT
#include "limits/hit.hpp"

#include "limits/limit_totals.hpp"

namespace memprof::inline v0::detail {

void hit_state::begin(engine::event const& e) noexcept {
  count_hit(kind);
  position = e.after();
  request = e.words();
}

void hit_state::stop(engine::event const& e) noexcept {
  stopping = true;
  begin(e);
}

void hit_state::happen_outside_events() noexcept {
  happened = true;
  position = engine::position_now();
  count_hit(kind);
}

void hit_state::publish(engine::event const& e, bool pauses_instead) noexcept {
  found.any = false;
  describe(found.kind, found.limit, found.measured);
  asked = found.asked;
  if (!stopping) begin(e);
  (pauses_instead ? stopping : happened) = true;
}

}  // namespace memprof::inline v0::detail
