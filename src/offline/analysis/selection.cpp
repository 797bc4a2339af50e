// SPDX-License-Identifier: MIT
#include "analysis/selection.hpp"

#include <algorithm>
#include <unordered_map>

#include "analysis/object_table.hpp"
#include "analysis/trace_source.hpp"

namespace memprof::analysis {
namespace {

using time = selection::time;

/// What lives of one half, and when that was most, in the order of the file: as live_peak.
class half_curve {
 public:
  explicit half_curve(double rate) : beyond_(rate >= 1 ? 1 : 0) {}
  void change(std::int64_t samples, time at) {
    now_ += static_cast<std::uint64_t>(samples);
    if (now_ < most_ + beyond_) return;
    most_ = now_;
    peak_ = at;
  }
  [[nodiscard]] time peak() const noexcept { return peak_; }

 private:
  std::uint64_t now_ = 0, most_ = 0, beyond_;
  time peak_{0};
};

struct peak_times {
  time first{0}, second{0};
};

peak_times times_of_peak(trace_source& source) {
  reading events = source.open(false);
  const sample_splitter split(events.info());
  object_table<sample_halves> live;
  half_curve first(events.info().sample_rate), second = first;
  for (trace::event e; events.next(e);) {
    if (e.kind == trace::event_kind::allocation) {
      const sample_halves h = live.insert(e.object) = split(e.n_samples, e.object);
      first.change(static_cast<std::int64_t>(h.first), e.time);
      second.change(static_cast<std::int64_t>(h.second), e.time);
    } else if (e.kind == trace::event_kind::collection) {
      if (sample_halves const* h = live.find(e.object)) {
        first.change(-static_cast<std::int64_t>(h->first), e.time);
        second.change(-static_cast<std::int64_t>(h->second), e.time);
        live.erase(e.object);
      }
    }
  }
  return {first.peak(), second.peak()};
}

}  // namespace

bool selection::admits_life(time born, time gone, bool collected_there, time peak,
                            exit_mark const& mark) const {
  const auto there_at = [&](time t) { return born <= t && (gone > t || !collected_there); };
  if (!allocated.holds(born)) return false;
  if (live.to && born > *live.to) return false;
  if (live.from && gone <= *live.from && collected_there) return false;
  if (live_at && !there_at(*live_at)) return false;
  if (live_at_peak && !there_at(peak)) return false;
  if (never_collected && collected_there) return false;
  const bool stays = !collected_there || (mark.at() && !mark.is_before(gone));
  if (live_at_end && !(stays && mark.is_before(born))) return false;
  return collected.holds(gone) && lifetime.holds(gone - born);
}

block_choice select_by_fate(trace_source& source, selection const& s) {
  const peak_times peak = s.live_at_peak ? times_of_peak(source) : peak_times{};
  // The thread of a block is in its backtrace.
  reading events = source.open(s.freed_within.has_value());
  const double word_bytes = events.info().word_bytes();
  struct life {
    time born{0};
    std::uint32_t thread = 0;
    std::uint64_t before = 0;  // samples of its thread up to it and with it
    live_state where = live_state::absent;
  };
  object_table<life> lives;
  block_choice chosen;
  // At rate 1 both halves are all samples.
  const bool halves = s.live_at_peak && events.info().sample_rate < 1;
  if (halves) chosen.split_.emplace(events.info());
  exit_mark mark;
  std::unordered_map<std::uint32_t, std::uint64_t> samples_of;  // threads
  const auto is_soon = [&](life const& l) {
    const std::uint64_t between = samples_of[l.thread] - l.before;
    return events.info().bytes_of(static_cast<double>(between)) <= *s.freed_within;
  };
  // Each half counts at the moment that the other one picked.
  const auto judge = [&](trace::object_id id, life const& l, time gone, bool collected_there) {
    if (l.where != live_state::live) return;
    if (s.admits_life(l.born, gone, collected_there, peak.second, mark)) chosen.first_.insert(id);
    if (halves && s.admits_life(l.born, gone, collected_there, peak.first, mark)) {
      chosen.second_.insert(id);
    }
  };
  time end{0};
  for (trace::event e; events.next(e);) {
    mark.look(events.reader());
    end = std::max(end, e.time);
    if (e.kind == trace::event_kind::allocation) {
      const std::uint64_t before = samples_of[e.thread] += e.n_samples;
      const live_state where = live_state_at_allocation(s.heaps, e.source);
      if (where != live_state::absent && s.admits(e, word_bytes)) {
        lives.insert(e.object) = {e.time, e.thread, before, where};
      }
      continue;
    }
    life* const l = lives.find(e.object);
    if (l == nullptr) continue;
    if (e.kind == trace::event_kind::promotion) {
      if (l->where == live_state::waiting) {
        l->born = e.time;
        l->where = live_state::live;
        continue;
      }
      if (s.heaps.major) continue;  // it stays among those chosen
    }
    const bool soon = e.kind == trace::event_kind::collection && s.freed_within && is_soon(*l);
    if (!s.freed_within || soon) judge(e.object, *l, e.time, true);
    lives.erase(e.object);
  }
  if (s.freed_within) return chosen;
  lives.for_each([&](trace::object_id id, life const& l) { judge(id, l, end, false); });
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
