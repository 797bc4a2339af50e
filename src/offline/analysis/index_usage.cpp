// SPDX-License-Identifier: MIT
#include "analysis/index_usage.hpp"

#include <utility>

namespace memprof::analysis {
namespace {

/// The event of the file at which the samples of the chosen blocks that are there are most: the
/// first such one; no_event if none is ever there.
std::uint32_t event_of_peak(trace_index const& index, index_choice const& c,
                            std::chrono::microseconds& time) {
  object_columns const& o = index.objects();
  const heap_set heaps = c.chosen.heaps;
  std::uint64_t now = 0, peak = 0;
  std::uint32_t event = object_columns::no_event;
  const auto enter = [&](std::uint32_t i, std::int64_t at, std::uint32_t number) {
    now += o.samples[i];
    if (now <= peak) return;
    peak = now;
    event = number;
    time = std::chrono::microseconds{at};
  };
  for (object_change const change : index.changes()) {
    const std::uint32_t i = change.object;
    if (!c.objects[i]) continue;
    const live_state at_first =
        c.everything ? live_state::live : live_state_at_allocation(heaps, o.source[i]);
    const bool promoted = o.promoted[i] != object_columns::never;
    switch (static_cast<trace::event_kind>(change.kind)) {
      case trace::event_kind::allocation:
        if (at_first == live_state::live) enter(i, o.born[i], o.born_event[i]);
        break;
      case trace::event_kind::promotion:
        if (at_first == live_state::waiting) {
          enter(i, o.promoted[i], o.promoted_event[i]);
        } else if (!heaps.major) {
          now -= o.samples[i];
        }
        break;
      case trace::event_kind::collection:
        if (at_first == live_state::live ? !promoted || heaps.major : promoted) {
          now -= o.samples[i];
        }
        break;
    }
  }
  return event;
}

}  // namespace

index_usage usage_of(std::shared_ptr<trace_index const> index, selection const& s,
                     bool hide_allocation_functions, bool inlines) {
  index_usage u;
  u.index = std::move(index);
  u.choice = choose(*u.index, s, hide_allocation_functions, inlines);
  u.own.resize(u.index->stacks().size());
  const std::uint32_t peak = event_of_peak(*u.index, u.choice, u.peak_time);
  object_columns const& o = u.index->objects();
  const double rate = u.index->facts().info.sample_rate;
  u.choice.objects.for_each([&](std::size_t i) {
    const live_interval t = live_interval_of(o, i, s.heaps);
    const amount a = amount::of_block(o.samples[i], o.length[i], rate);
    amounts& own = u.own[o.stack[i]];
    own.allocated += a;
    u.total.allocated += a;
    if (!t.ends) {
      own.in_use += a;
      u.total.in_use += a;
    }
    if (t.from_event <= peak && t.to_event > peak) {
      own.at_peak += a;
      u.total.at_peak += a;
    }
  });
  return u;
}

}  // namespace memprof::analysis
