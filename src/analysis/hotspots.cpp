// SPDX-License-Identifier: MIT
#include "analysis/hotspots.hpp"

#include <algorithm>
#include <cstdio>
#include <optional>
#include <span>
#include <tuple>
#include <unordered_map>

#include "analysis/code_table.hpp"
#include "analysis/trace_source.hpp"

namespace memprof::analysis {
namespace {

constexpr std::size_t most_pairs = 10000;

/// A function is a name in a file. Each code stands for one, found out when it is first met.
class function_map {
 public:
  struct meaning {
    std::uint32_t function = 0;
    frame location;
    bool located = false;
  };

  /// outside     the codes around it, innermost last.
  meaning const& of(trace::location_code code, std::span<trace::location_code const> outside,
                    code_table& codes, trace::reader const& reader) {
    const code_table::id id = codes.find(code, reader);
    if (id >= meanings_.size()) meanings_.resize(codes.size());
    if (!meanings_[id]) meanings_[id] = find(id, outside, codes, reader);
    return *meanings_[id];
  }
  [[nodiscard]] meaning const& of(code_table::id id) const { return *meanings_[id]; }
  [[nodiscard]] std::size_t size() const { return names_.size(); }
  [[nodiscard]] std::string const& name(std::uint32_t f) const { return names_[f].first; }
  [[nodiscard]] std::string const& file(std::uint32_t f) const { return names_[f].second; }

 private:
  meaning find(code_table::id id, std::span<trace::location_code const> outside, code_table& codes,
               trace::reader const& reader) {
    // A code without locations passes for one of the two calls outside it, the first time and for
    // good.
    code_table::id near = id;
    for (std::size_t i = 0;; ++i) {
      const auto frames = codes.frames(near);
      if (!frames.empty()) {
        frame const& f = frames.back();
        std::uint32_t& place = index_.find(f.function, f.file);
        if (place == flat_index::none) {
          place = add(codes.functions().text(f.function), codes.files().text(f.file));
        }
        return {place, f, true};
      }
      if (i == 2 || i == outside.size()) break;
      near = codes.find(outside[outside.size() - 1 - i], reader);
    }
    char text[32];
    std::snprintf(text, sizeof text, "#%llx", static_cast<unsigned long long>(codes.code(id)));
    return {add(text, "??"), {}, false};
  }
  std::uint32_t add(std::string name, std::string file) {
    names_.emplace_back(std::move(name), std::move(file));
    return static_cast<std::uint32_t>(names_.size() - 1);
  }

  std::vector<std::optional<meaning>> meanings_;  // by code
  flat_index index_;
  std::vector<std::pair<std::string, std::string>> names_;
};

/// Counts of pairs (function, caller) after Misra and Gries: a new pair that finds the table full
/// is a miss, which costs every pair one, and who has nothing left is out. What is reported is how
/// often a pair came since it was last let in.
class heavy_pairs {
 public:
  void add(std::uint32_t function, std::uint32_t caller) {
    std::uint32_t& place = place_of(function, caller);
    if (place == flat_index::none) {
      place = static_cast<std::uint32_t>(pairs_.size());
      pairs_.push_back({function, caller, 0, 0});
    }
    pair& p = pairs_[place];
    if (p.came > 0) {
      ++p.came;
    } else if (inside_.size() < most_pairs) {
      p.came = 1;
      p.misses_before = misses_;
      inside_.push_back(place);
    } else {
      miss();
    }
  }

  /// The pairs of each function.
  struct count {
    std::uint32_t caller;
    std::uint64_t blocks;
  };
  [[nodiscard]] std::vector<std::vector<count>> by_function(std::size_t functions) const {
    std::vector<std::vector<count>> result(functions);
    for (const std::uint32_t i : inside_) {
      result[pairs_[i].function].push_back({pairs_[i].caller, pairs_[i].came});
    }
    return result;
  }

 private:
  struct pair {
    std::uint32_t function, caller;
    std::uint64_t came, misses_before;
  };

  /// Most programs have few enough functions for a table without hashing.
  std::uint32_t& place_of(std::uint32_t function, std::uint32_t caller) {
    constexpr std::uint32_t few = 4096;
    if (function >= few || caller >= few) return index_.find(function, caller);
    if (function >= rows_.size()) rows_.resize(function + 1);
    auto& row = rows_[function];
    if (caller >= row.size()) row.resize(std::max<std::size_t>(64, caller * 2), flat_index::none);
    return row[caller];
  }

  void miss() {
    ++misses_;
    std::erase_if(inside_, [&](std::uint32_t i) {
      const bool out = pairs_[i].came + pairs_[i].misses_before <= misses_;
      if (out) pairs_[i].came = 0;
      return out;
    });
  }

  std::vector<std::vector<std::uint32_t>> rows_;
  flat_index index_;
  std::vector<pair> pairs_;
  std::vector<std::uint32_t> inside_;
  std::uint64_t misses_ = 0;
};

/// The functions of a domain's last backtrace: what it shares with the next is kept.
class last_stack {
 public:
  /// The functions of all frames but the last, each once.
  template <class Function>
  std::span<std::uint32_t const> callers(trace::event const& e, Function&& function_of) {
    const std::size_t length = e.backtrace.size();
    const std::size_t known =
        std::min({static_cast<std::size_t>(e.common_prefix), functions_.size(), length});
    while (functions_.size() > known) {
      --active_[functions_.back()];
      functions_.pop_back();
    }
    distinct_.resize(known == 0 ? 0 : distinct_at_[known - 1]);
    distinct_at_.resize(known);
    for (std::size_t i = known; i < length; ++i) {
      const std::uint32_t f = function_of(i);
      if (f >= active_.size()) active_.resize(f + 64);
      if (active_[f]++ == 0) distinct_.push_back(f);
      functions_.push_back(f);
      distinct_at_.push_back(distinct_.size());
    }
    return std::span(distinct_).first(length < 2 ? 0 : distinct_at_[length - 2]);
  }
  [[nodiscard]] std::uint32_t innermost() const { return functions_.back(); }

 private:
  std::vector<std::uint32_t> functions_;  // of each frame
  std::vector<std::uint32_t> distinct_;   // in the order of their first frames
  std::vector<std::size_t> distinct_at_;  // how many of them after each frame
  std::vector<std::uint32_t> active_;     // frames of each function
};

/// The sums over all events.
struct sums {
  code_table codes;
  function_map functions;
  heavy_pairs pairs;
  std::uint64_t samples = 0;
  std::vector<std::uint64_t> self, under;  // of functions; `under` of recursive ones twice
  std::vector<std::uint64_t> at;           // of the codes that allocate

  void add(trace::event const& e, last_stack& stack, trace::reader const& reader) {
    samples += e.n_samples;
    const auto callers = stack.callers(e, [&](std::size_t i) {
      return functions.of(e.backtrace[i], e.backtrace.first(i), codes, reader).function;
    });
    if (e.backtrace.empty()) return;
    const std::uint32_t f = stack.innermost();
    if (self.size() < functions.size()) {
      self.resize(functions.size());
      under.resize(functions.size());
    }
    self[f] += e.n_samples;
    under[f] += e.n_samples;
    const code_table::id code = codes.find(e.backtrace.back(), reader);
    if (code >= at.size()) at.resize(codes.size());
    at[code] += e.n_samples;
    for (const std::uint32_t caller : callers) {
      under[caller] += e.n_samples;
      pairs.add(f, caller);
    }
  }
};

/// Positions are told apart by their codes: the same one may be listed twice.
void add_positions(sums const& s, std::vector<hot_function*> const& listed) {
  for (code_table::id i = 0; i < s.at.size(); ++i) {
    if (s.at[i] == 0) continue;
    function_map::meaning const& m = s.functions.of(i);
    if (!m.located || listed[m.function] == nullptr) continue;
    listed[m.function]->positions.push_back(
        {m.location.line, m.location.start_char, m.location.end_char, s.at[i]});
  }
  for (hot_function* const h : listed) {
    if (h == nullptr) continue;
    std::sort(h->positions.begin(), h->positions.end(), [](auto const& a, auto const& b) {
      if (a.samples != b.samples) return a.samples > b.samples;
      return std::tuple(a.line, a.start_char, a.end_char) <
             std::tuple(b.line, b.start_char, b.end_char);
    });
  }
}

/// memtrace's way of writing bytes here. A word is always 8 bytes to it.
std::string bytes(double samples, double rate) {
  double n = samples / rate * 8;
  char text[64];
  if (n < 100) {
    std::snprintf(text, sizeof text, "%4.0f B", n);
    return text;
  }
  for (char const* unit : {"kB", "MB", "GB", "TB"}) {
    n /= 1024;
    std::snprintf(text, sizeof text, "%4.1f %s", n, unit);
    if (n < 100) break;
  }
  return text;
}

}  // namespace

hotspots find_hotspots(trace_source& source, std::shared_ptr<symbolize::resolver> names) {
  reading events = source.open();
  sums s;
  s.codes = code_table({.names = std::move(names), .hide = {}, .marks = {}});
  std::unordered_map<std::uint16_t, last_stack> stacks;
  for (trace::event e; events.next(e);) {
    if (e.kind == trace::event_kind::allocation) s.add(e, stacks[e.domain], events.reader());
  }
  hotspots result{.info = events.info(), .samples = s.samples, .functions = {}};
  const auto all = static_cast<double>(result.samples);
  const auto share = [&](std::uint64_t part) { return static_cast<double>(part) / all; };
  constexpr double least = 0.005;
  const auto pairs = s.pairs.by_function(s.functions.size());

  std::vector<std::uint32_t> order;
  for (std::uint32_t f = 0; f < s.self.size(); ++f) {
    if (!pairs[f].empty() && share(s.self[f]) > least) order.push_back(f);
  }
  std::sort(order.begin(), order.end(), [&](auto a, auto b) {
    return s.self[a] != s.self[b] ? s.self[a] > s.self[b]
                                  : s.functions.name(a) < s.functions.name(b);
  });
  result.functions.reserve(order.size());
  std::vector<hot_function*> listed(s.functions.size());
  for (const std::uint32_t f : order) {
    hot_function h{.function = s.functions.name(f),
                   .file = s.functions.file(f),
                   .samples = s.self[f],
                   .positions = {},
                   .callers = {}};
    for (auto const& p : pairs[f]) {
      const std::uint64_t under = s.under[p.caller];
      const double of_caller = static_cast<double>(p.blocks) / static_cast<double>(under);
      if (of_caller > std::max(0.1, 1.2 * share(s.self[f])) && share(p.blocks) > least &&
          share(under) > least) {
        h.callers.push_back({s.functions.name(p.caller), p.blocks, under});
      }
    }
    std::sort(h.callers.begin(), h.callers.end(), [](auto const& a, auto const& b) {
      return a.blocks != b.blocks ? a.blocks > b.blocks : a.function < b.function;
    });
    result.functions.push_back(std::move(h));
    listed[f] = &result.functions.back();
  }
  add_positions(s, listed);
  return result;
}

std::string hotspots_text(hotspots const& h) {
  const auto amount_text = [&](std::uint64_t samples) {
    return bytes(static_cast<double>(samples), h.info.sample_rate);
  };
  char text[96];
  std::string out = "Trace for " + h.info.executable_name;
  std::snprintf(text, sizeof text, " [%lld]:\n   %llu samples of ",
                static_cast<long long>(h.info.pid), static_cast<unsigned long long>(h.samples));
  out += text + amount_text(h.samples) + " allocations\n\n";
  for (hot_function const& f : h.functions) {
    std::snprintf(text, sizeof text, " (%4.1f%%) at ",
                  100 * static_cast<double>(f.samples) / static_cast<double>(h.samples));
    out += amount_text(f.samples) + text + f.function + " (" + f.file + ":";
    for (std::size_t i = 0; i < f.positions.size() && i < 3; ++i) {
      hot_position const& p = f.positions[i];
      std::snprintf(text, sizeof text, "%s%u:%u-%u", i == 0 ? "" : ", ", p.line, p.start_char,
                    p.end_char);
      out += text;
    }
    out += f.positions.size() > 3 ? "...)\n" : ")\n";
    if (!f.callers.empty()) out += "      including:\n";
    for (hot_caller const& c : f.callers) {
      std::snprintf(text, sizeof text, " (%.0f%% of this)\n",
                    100 * static_cast<double>(c.blocks) / static_cast<double>(c.of_caller));
      out += "    " + amount_text(c.blocks) + " via " + c.function + text;
    }
    out += '\n';
  }
  return out;
}

}  // namespace memprof::analysis
