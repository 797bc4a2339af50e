// SPDX-License-Identifier: MIT
#include "analysis/index_choice.hpp"

#include "analysis/backtrace_marks.hpp"

namespace memprof::analysis {

live_interval live_interval_of(object_columns const& o, std::size_t i, heap_set heaps) noexcept {
  live_interval s;
  const bool promoted = o.promoted[i] != object_columns::never;
  switch (live_state_at_allocation(heaps, o.source[i])) {
    case live_state::absent:
      return s;
    case live_state::waiting:
      if (!promoted) return s;
      s.from = o.promoted[i];
      s.from_event = o.promoted_event[i];
      break;
    case live_state::live:
      s.from = o.born[i];
      s.from_event = o.born_event[i];
      if (promoted && !heaps.major) {
        s.to = o.promoted[i];
        s.to_event = o.promoted_event[i];
        s.ends = true;
      }
      break;
  }
  s.there = true;
  if (!s.ends && o.gone[i] != object_columns::never) {
    s.to = o.gone[i];
    s.to_event = o.gone_event[i];
    s.ends = true;
  }
  return s;
}

index_choice choose(trace_index const& index, selection const& s, bool hide_allocation_functions,
                    bool inlines) {
  index_choice c{
      .chosen = s,
      .codes = index.codes().seen(naming_of(s, nullptr, hide_allocation_functions), inlines),
      .objects = bit_set(index.objects().size()),
      .count = 0,
      .everything = s.is_everything()};
  object_columns const& o = index.objects();
  trace_facts const& facts = index.facts();
  const double word = facts.info.word_bytes();
  const auto time = [](std::int64_t us) { return selection::time{us}; };
  const bool fate = s.needs_fate() || s.allocated.is_set();
  const bool marked = s.needs_backtraces();
  backtrace_marks marks(s);
  for (std::size_t i = 0; i < o.size(); ++i) {
    if (!c.everything) {
      if (!s.domains.empty() && !s.domains.contains(o.domain[i])) continue;
      if (!s.size_bytes.holds(static_cast<double>(o.length[i]) * word)) continue;
      if (marked && !marks.passes(o.stack[i], index.stacks(), c.codes)) continue;
      const live_interval t = live_interval_of(o, i, s.heaps);
      if (!t.there) continue;
      const selection::time end = t.ends ? time(t.to) : facts.duration;
      if (fate && !s.admits_life(time(t.from), end, t.ends, facts.peak_time)) continue;
    }
    c.objects.set(i);
    ++c.count;
  }
  return c;
}

}  // namespace memprof::analysis
