// SPDX-License-Identifier: MIT
#include "analysis/trace_index.hpp"

#include <algorithm>
#include <span>
#include <stdexcept>
#include <utility>

#include "analysis/allocation_function.hpp"
#include "analysis/object_table.hpp"
#include "analysis/trace_source.hpp"

namespace memprof::analysis {
namespace {

constexpr std::size_t most_objects = std::size_t{1} << 30;

/// Those of the library that raised it are of no interest.
noted_interrupt noted(trace::interrupt const& i, symbolize::resolver* names) {
  noted_interrupt result{i, {}};
  result.what.stack = {};
  for (trace::location const& raw : i.stack) {
    std::span<trace::location const> calls(&raw, 1);
    if (names != nullptr) calls = names->resolve(calls);
    for (trace::location const& l : calls) result.stack.emplace_back(l.defname);
  }
  while (!result.stack.empty() && (only_passes_memory_on(result.stack.back()) ||
                                   result.stack.back().starts_with("memprof::"))) {
    result.stack.pop_back();
  }
  return result;
}

}  // namespace

class trace_index::builder {
 public:
  builder(trace_index& index, symbolize::resolver* names)
      : i_(index), o_(index.objects_), names_(names) {}

  void read(reading& events) {
    i_.facts_.info = events.info();
    try {
      for (trace::event e; events.next(e);) {
        if (i_.facts_.events >= object_columns::no_event || o_.size() >= most_objects) {
          i_.facts_.damage = "the trace goes on, beyond what is kept of one";
          break;
        }
        add(e, events.reader());
      }
    } catch (trace::format_error const& e) {
      i_.facts_.damage = e.what();
    } catch (std::length_error const& e) {
      i_.facts_.damage = e.what();
    }
    if (!i_.facts_.damage) {
      for (std::string const& notice : events.reader().notices()) {
        if (!i_.facts_.damage) i_.facts_.damage = notice;
      }
    }
    for (trace::interrupt const& i : events.reader().interrupts()) {
      i_.facts_.interrupts.push_back(noted(i, names_));
    }
    i_.facts_.bytes = events.reader().bytes_read();
    std::sort(i_.facts_.domains.begin(), i_.facts_.domains.end());
  }

 private:
  void add(trace::event const& e, trace::reader const& reader) {
    if (e.kind == trace::event_kind::allocation) {
      allocation(e, i_.stacks_.add(e, i_.codes_, reader));
    } else if (std::uint32_t const* known = numbers_.find(e.object)) {
      change(e, *known);
    }
    i_.facts_.duration = std::max(i_.facts_.duration, e.time);
    ++i_.facts_.events;
  }

  void allocation(trace::event const& e, stack_tree::node_id stack) {
    const auto number = static_cast<std::uint32_t>(o_.size());
    numbers_.insert(e.object) = number;
    o_.born.push_back(e.time.count());
    o_.gone.push_back(object_columns::never);
    o_.promoted.push_back(object_columns::never);
    o_.born_event.push_back(event_number());
    o_.gone_event.push_back(object_columns::no_event);
    o_.promoted_event.push_back(object_columns::no_event);
    o_.id.push_back(e.object);
    o_.length.push_back(e.length);
    o_.samples.push_back(e.n_samples);
    o_.stack.push_back(stack);
    o_.domain.push_back(e.domain);
    o_.source.push_back(e.source);
    note(number, e.kind);
    auto& domains = i_.facts_.domains;
    if (std::find(domains.begin(), domains.end(), e.domain) == domains.end()) {
      domains.push_back(e.domain);
    }
    live_ += e.n_samples;
    if (live_ > peak_) {
      peak_ = live_;
      i_.facts_.peak_time = e.time;
    }
  }

  void change(trace::event const& e, std::uint32_t number) {
    if (e.kind == trace::event_kind::promotion) {
      if (o_.promoted[number] != object_columns::never) return;
      o_.promoted[number] = e.time.count();
      o_.promoted_event[number] = event_number();
    } else {
      o_.gone[number] = e.time.count();
      o_.gone_event[number] = event_number();
      live_ -= o_.samples[number];
      numbers_.erase(e.object);
    }
    note(number, e.kind);
  }

  [[nodiscard]] std::uint32_t event_number() const {
    return static_cast<std::uint32_t>(i_.facts_.events);
  }
  void note(std::uint32_t number, trace::event_kind kind) {
    i_.changes_.push_back({.object = number & 0x3fffffff, .kind = static_cast<unsigned>(kind) & 3});
  }

  trace_index& i_;
  object_columns& o_;
  symbolize::resolver* names_;
  object_table<std::uint32_t> numbers_;  // of the blocks that are not gone
  std::uint64_t live_ = 0, peak_ = 0;
};

trace_index::trace_index(trace_source& source, std::shared_ptr<symbolize::resolver> names) {
  naming how;
  symbolize::resolver* const resolver = names.get();
  how.names = std::move(names);
  codes_ = code_table(std::move(how));
  reading events = source.open();
  builder(*this, resolver).read(events);
}

}  // namespace memprof::analysis
