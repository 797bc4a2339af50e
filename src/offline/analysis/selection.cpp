// SPDX-License-Identifier: MIT
#include "analysis/selection.hpp"

#include <algorithm>

#include "analysis/object_table.hpp"
#include "analysis/trace_source.hpp"

namespace memprof::analysis {
namespace {

using time = selection::time;

/// The time at which the samples of live blocks were most, in the order of the file.
time time_of_peak(trace_source& source) {
  reading events = source.open(false);
  object_table<std::uint64_t> live;
  std::uint64_t now = 0;
  std::uint64_t peak = 0;
  time at{0};
  for (trace::event e; events.next(e);) {
    if (e.kind == trace::event_kind::allocation) {
      live.insert(e.object) = e.n_samples;
      now += e.n_samples;
      if (now > peak) {
        peak = now;
        at = e.time;
      }
    } else if (e.kind == trace::event_kind::collection) {
      if (std::uint64_t const* samples = live.find(e.object)) {
        now -= *samples;
        live.erase(e.object);
      }
    }
  }
  return at;
}

}  // namespace

bool selection::admits_life(time born, time gone, bool collected_there, time peak) const {
  const auto there_at = [&](time t) { return born <= t && (gone > t || !collected_there); };
  if (!allocated.holds(born)) return false;
  if (live.to && born > *live.to) return false;
  if (live.from && gone <= *live.from && collected_there) return false;
  if (live_at && !there_at(*live_at)) return false;
  if (live_at_peak && !there_at(peak)) return false;
  if ((live_at_end || never_collected) && collected_there) return false;
  return collected.holds(gone) && lifetime.holds(gone - born);
}

object_set select_by_fate(trace_source& source, selection const& s) {
  const time peak = s.live_at_peak ? time_of_peak(source) : time{0};
  reading events = source.open(false);
  const double word_bytes = events.info().word_bytes();
  struct life {
    time born{0};
    live_state where = live_state::absent;
  };
  object_table<life> lives;
  object_set chosen;
  time end{0};
  for (trace::event e; events.next(e);) {
    end = std::max(end, e.time);
    if (e.kind == trace::event_kind::allocation) {
      const live_state where = live_state_at_allocation(s.heaps, e.source);
      if (where != live_state::absent && s.admits(e, word_bytes)) {
        lives.insert(e.object) = {e.time, where};
      }
      continue;
    }
    life* const l = lives.find(e.object);
    if (l == nullptr) continue;
    if (e.kind == trace::event_kind::promotion) {
      if (l->where == live_state::waiting) {
        *l = {e.time, live_state::live};
        continue;
      }
      if (s.heaps.major) continue;  // it stays among those chosen
    }
    if (l->where == live_state::live && s.admits_life(l->born, e.time, true, peak)) {
      chosen.insert(e.object);
    }
    lives.erase(e.object);
  }
  lives.for_each([&](trace::object_id id, life const& l) {
    if (l.where == live_state::live && s.admits_life(l.born, end, false, peak)) chosen.insert(id);
  });
  return chosen;
}

void object_set::insert(trace::object_id id) {
  const std::uint64_t number = id / page_bits;
  auto at = pages_.end();
  if (!pages_.empty() && pages_.back().number >= number) {
    at = std::lower_bound(pages_.begin(), pages_.end(), number,
                          [](page const& p, std::uint64_t n) { return p.number < n; });
  }
  if (at == pages_.end() || at->number != number) {
    at = pages_.insert(at, page{number, std::vector<std::uint64_t>(page_bits / 64)});
  }
  std::uint64_t& word = at->bits[id % page_bits / 64];
  const std::uint64_t bit = std::uint64_t{1} << (id % 64);
  size_ += (word & bit) == 0 ? 1 : 0;
  word |= bit;
}

object_set::page const* object_set::find(std::uint64_t number) const noexcept {
  const auto at = std::lower_bound(pages_.begin(), pages_.end(), number,
                                   [](page const& p, std::uint64_t n) { return p.number < n; });
  return at == pages_.end() || at->number != number ? nullptr : &*at;
}

bool object_set::contains(trace::object_id id) const noexcept {
  page const* const p = find(id / page_bits);
  return p != nullptr && (p->bits[id % page_bits / 64] >> (id % 64) & 1) != 0;
}

}  // namespace memprof::analysis
