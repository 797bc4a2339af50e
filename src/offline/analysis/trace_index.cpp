// SPDX-License-Identifier: MIT
#include "analysis/trace_index.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <span>
#include <stdexcept>
#include <utility>

#include "analysis/object_table.hpp"
#include "analysis/own_frame.hpp"
#include "analysis/sample_halves.hpp"
#include "analysis/thread_groups.hpp"
#include "analysis/trace_source.hpp"
#include "page_columns/page_columns.hpp"

namespace memprof::analysis {
namespace {

/// Those of the library that raised it are of no interest.
noted_interrupt noted(trace::interrupt const& i, symbolize::resolver* names,
                      symbolize::file_time since) {
  noted_interrupt result{i, {}};
  result.what.stack = {};
  for (trace::location const& raw : i.stack) {
    std::span<trace::location const> calls(&raw, 1);
    if (names != nullptr) calls = names->resolve(calls, since);
    own_frames ours;
    for (trace::location const& l : calls) {
      if (!ours.is_next_own(l)) result.stack.emplace_back(l.defname);
    }
  }
  while (!result.stack.empty() && page_columns::only_passes_memory_on(result.stack.back())) {
    result.stack.pop_back();
  }
  return result;
}

}  // namespace

class trace_index::builder {
 public:
  builder(trace_index& index, symbolize::resolver* names, std::size_t most)
      : i_(index), o_(index.objects_), names_(names), most_(most) {}

  void read(reading& events) {
    i_.facts_.info = events.info();
    try {
      for (trace::event e; events.next(e);) add(e, events.reader());
    } catch (trace::format_error const& e) {
      i_.facts_.damage = e.what();
    } catch (std::length_error const& e) {
      i_.facts_.damage = e.what();
    }
    fill_samples();
    if (!i_.facts_.damage && !events.reader().notices().empty()) {
      i_.facts_.damage = events.reader().notices().front();
    }
    for (trace::interrupt const& i : events.reader().interrupts()) {
      i_.facts_.interrupts.push_back(noted(i, names_, events.info().start_time));
    }
    i_.facts_.notes = notes_of(events.reader());
    i_.facts_.bytes = events.reader().bytes_read();
    if (!events.reader().threads().empty()) group_threads(events.reader());
    std::sort(i_.facts_.domains.begin(), i_.facts_.domains.end());
  }

 private:
  struct known {
    std::uint32_t number;
    std::uint32_t thread;
    std::uint64_t before;  // samples of its thread up to it and with it
    bool promoted;
  };
  static constexpr std::uint32_t dropped = std::numeric_limits<std::uint32_t>::max();

  void add(trace::event const& e, trace::reader const& reader) {
    if (e.kind == trace::event_kind::allocation) {
      allocation(e, i_.stacks_.add(e, i_.codes_, reader));
    } else if (known const* k = known_.find(e.object)) {
      change(e, *k);
    }
    i_.facts_.duration = std::max(i_.facts_.duration, e.time);
    ++i_.facts_.events;
  }

  void allocation(trace::event const& e, stack_tree::node_id stack) {
    ++i_.facts_.objects;
    i_.facts_.heaps[static_cast<std::size_t>(e.source)] = true;
    const std::uint64_t before = samples_of_thread_[e.thread] += e.n_samples;
    if (e.thread == 0 && (i_.facts_.domains.empty() || e.domain != last_domain_)) {
      note_domain(e.domain);
    }
    if (page_columns::thinned_samples(e.n_samples, e.object, i_.facts_.halvings) == 0) {
      // An id that comes again is another block.
      if (known_.find(e.object) != nullptr) known_.erase(e.object);
      return;
    }
    const auto number = static_cast<std::uint32_t>(drawn_.size());
    known_.insert(e.object) = {number, e.thread, before, false};
    o_.between.push_back(0);
    o_.length.push_back(e.length);
    o_.stack.push_back(stack);
    // Whether there are threads is known at the end; a trace with threads has one domain.
    o_.domain.push_back(e.thread == 0 ? e.domain : thread_column(e.thread));
    o_.source.push_back(e.source);
    drawn_.push_back({e.object, e.n_samples});
    note(number, e);
    if (drawn_.size() > most_) thin();
  }

  void change(trace::event const& e, known k) {
    if (e.kind == trace::event_kind::promotion) {
      if (k.promoted) return;
      known_.find(e.object)->promoted = true;
      i_.facts_.heaps[static_cast<std::size_t>(trace::heap::major)] = true;
    } else {
      const std::uint64_t between = samples_of_thread_[k.thread] - k.before;
      o_.between[k.number] = narrow(between + 1);
      known_.erase(e.object);
    }
    note(k.number, e);
  }

  void note(std::uint32_t number, trace::event const& e) {
    i_.changes_.push_back(
        {.object = number & 0x3fffffff, .kind = static_cast<unsigned>(e.kind) & 3});
    i_.times_.push_back(e.time.count());
  }

  static std::uint32_t narrow(std::uint64_t n) {
    constexpr std::uint64_t most = std::numeric_limits<std::uint32_t>::max();
    return static_cast<std::uint32_t>(std::min(n, most));
  }

  static std::uint16_t thread_column(std::uint32_t thread) {
    return static_cast<std::uint16_t>(std::min(thread, trace::most_threads));
  }

  void group_threads(trace::reader const& reader) {
    std::map<std::uint32_t, std::uint64_t> samples;
    for (auto const& [thread, n] : samples_of_thread_) {
      if (thread != 0) samples[thread_column(thread)] += n;
    }
    // Blocks without a thread, if there are any, have the column of their domain.
    for (const std::uint16_t d : i_.facts_.domains) samples.try_emplace(d, 0);
    const thread_groups groups(reader.threads(), i_.facts_.info, samples);
    for (std::uint16_t& column : o_.domain) {
      column = static_cast<std::uint16_t>(groups.of(column).number);
    }
    i_.facts_.domains.clear();
    for (auto const& g : groups.all()) {
      i_.facts_.domains.push_back(static_cast<std::uint16_t>(g.number));
      i_.facts_.thread_names.push_back(g.label);
    }
  }

  void note_domain(std::uint16_t domain) {
    auto& domains = i_.facts_.domains;
    last_domain_ = domain;
    if (std::find(domains.begin(), domains.end(), domain) == domains.end()) {
      domains.push_back(domain);
    }
  }

  /// Half of all samples goes, as often as it takes to leave some three quarters of the blocks.
  void thin() {
    unsigned& halvings = i_.facts_.halvings;
    constexpr std::size_t step = 64;  // to judge by every 64th block is enough
    std::size_t asked = 0, left = 0;
    do {
      ++halvings;
      asked = left = 0;
      for (std::size_t i = 0; i < drawn_.size(); i += std::min(step, most_ / step + 1), ++asked) {
        left += samples_of(i) > 0 ? 1U : 0U;
      }
    } while (left * 4 > asked * 3);
    std::vector<std::uint32_t> now(drawn_.size(), dropped);
    std::uint32_t kept = 0;
    for (std::uint32_t i = 0; i < drawn_.size(); ++i) {
      if (samples_of(i) == 0) continue;
      now[i] = kept;
      drawn_[kept] = drawn_[i];
      o_.length[kept] = o_.length[i];
      o_.stack[kept] = o_.stack[i];
      o_.domain[kept] = o_.domain[i];
      o_.source[kept] = o_.source[i];
      o_.between[kept] = o_.between[i];
      ++kept;
    }
    drawn_.resize(kept);
    o_.length.resize(kept);
    o_.stack.resize(kept);
    o_.domain.resize(kept);
    o_.source.resize(kept);
    o_.between.resize(kept);
    keep_changes(now);
    object_table<known> left_over;
    known_.for_each([&](trace::object_id id, known const& k) {
      if (now[k.number] == dropped) return;
      left_over.insert(id) = {now[k.number], k.thread, k.before, k.promoted};
    });
    known_ = std::move(left_over);
  }

  [[nodiscard]] std::uint64_t samples_of(std::size_t i) const {
    return page_columns::thinned_samples(drawn_[i].samples, drawn_[i].id, i_.facts_.halvings);
  }

  void fill_samples() {
    for (auto* column : {&o_.samples, &o_.first, &o_.second}) column->resize(drawn_.size());
    const double rate =
        std::ldexp(i_.facts_.info.sample_rate, -static_cast<int>(i_.facts_.halvings));
    const sample_splitter split(i_.facts_.info, rate);
    for (std::size_t i = 0; i < drawn_.size(); ++i) {
      const std::uint64_t samples = samples_of(i);
      const sample_halves h = split(samples, drawn_[i].id);
      o_.samples[i] = narrow(samples);
      o_.first[i] = narrow(h.first);
      o_.second[i] = narrow(h.second);
    }
  }

  void keep_changes(std::vector<std::uint32_t> const& now) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < i_.changes_.size(); ++i) {
      const std::uint32_t number = now[i_.changes_[i].object];
      if (number == dropped) continue;
      i_.changes_[kept] = {.object = number & 0x3fffffff, .kind = i_.changes_[i].kind};
      i_.times_[kept++] = i_.times_[i];
    }
    i_.changes_.resize(kept);
    i_.times_.resize(kept);
  }

  trace_index& i_;
  object_columns& o_;
  symbolize::resolver* names_;
  std::size_t most_;
  std::uint16_t last_domain_ = 0;
  std::map<std::uint32_t, std::uint64_t> samples_of_thread_;
  object_table<known> known_;  // the blocks that are kept, and not gone
  struct drawn {
    trace::object_id id;
    std::uint64_t samples;
  };
  std::vector<drawn> drawn_;  // of each block that is kept, as the file has it
};

trace_index::trace_index(trace_source& source, std::shared_ptr<symbolize::resolver> names,
                         std::size_t most) {
  naming how;
  symbolize::resolver* const resolver = names.get();
  how.names = std::move(names);
  codes_ = code_table(std::move(how));
  reading events = source.open();
  builder(*this, resolver, std::min(most, std::size_t{1} << 30)).read(events);
}

}  // namespace memprof::analysis
