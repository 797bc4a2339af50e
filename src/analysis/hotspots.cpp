// SPDX-License-Identifier: MIT
#include "analysis/hotspots.hpp"

#include <algorithm>
#include <cstdio>
#include <map>
#include <optional>
#include <string_view>

#include "analysis/trace_source.hpp"
#include "analysis/usage.hpp"

namespace memprof::analysis {
namespace {

constexpr std::size_t most_pairs = 10000;

/// A function is a name in a file; the trace's codes are mapped to them, each in its context.
class function_map {
 public:
  explicit function_map(usage& u) : of_(u.stacks.size(), 0), location_(u.stacks.size(), nullptr) {
    for (stack_tree::node_id i = 1; i < u.stacks.size(); ++i) locate(u, i);
  }
  [[nodiscard]] std::uint32_t of(stack_tree::node_id i) const { return of_[i]; }
  /// Null: of a code without one.
  [[nodiscard]] frame const* location(stack_tree::node_id i) const { return location_[i]; }
  [[nodiscard]] std::size_t size() const { return names_.size(); }
  [[nodiscard]] std::string const& name(std::uint32_t f) const { return names_[f].first; }
  [[nodiscard]] std::string const& file(std::uint32_t f) const { return names_[f].second; }

 private:
  void locate(usage& u, stack_tree::node_id i) {
    // A code without locations passes for one of the two calls outside it.
    stack_tree::node_id near = i;
    // What it passed for the first time it is for good.
    std::uint32_t& first = unnamed_.find(u.stacks[i].code);
    if (first != flat_index::none) {
      of_[i] = of_[first];
      location_[i] = location_[first];
      return;
    }
    first = i;
    for (int outside = 0; outside <= 2 && near != stack_tree::root; ++outside) {
      const auto frames = u.codes.frames(u.stacks[near].code);
      if (!frames.empty()) {
        location_[i] = &frames.back();
        std::uint32_t& place = index_.find(frames.back().function, frames.back().file);
        if (place == flat_index::none) {
          place = add(u.codes.functions().text(frames.back().function),
                      u.codes.files().text(frames.back().file));
        }
        of_[i] = place;
        return;
      }
      near = u.stacks[near].parent;
    }
    const auto code = u.codes.code(u.stacks[i].code);
    std::uint32_t& place = unknown_.find(code);
    if (place == flat_index::none) {
      char text[32];
      std::snprintf(text, sizeof text, "#%llx", static_cast<unsigned long long>(code));
      place = add(text, "??");
    }
    of_[i] = place;
  }
  std::uint32_t add(std::string name, std::string file) {
    names_.emplace_back(std::move(name), std::move(file));
    return static_cast<std::uint32_t>(names_.size() - 1);
  }

  std::vector<std::uint32_t> of_;
  std::vector<frame const*> location_;
  flat_index index_, unknown_;
  flat_index unnamed_;  // codes to the first node that has them
  std::vector<std::pair<std::string, std::string>> names_;
};

/// Counts of pairs (caller, function), the function first in the key so that its pairs lie
/// together.
using pair_counts = std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t>;

/// Misra and Gries: a new pair that finds the table full is a miss, which costs every pair one, and
/// who has nothing left is out. What is reported is how often a pair came since it was last let in.
class heavy_pairs {
 public:
  void add(std::pair<std::uint32_t, std::uint32_t> p) {
    if (const auto at = counts_.find(p); at != counts_.end()) {
      ++at->second.came;
    } else if (counts_.size() < most_pairs) {
      counts_.emplace(p, entry{1, misses_});
    } else {
      ++misses_;
      std::erase_if(counts_, [&](auto const& c) {
        return c.second.came + c.second.misses_before <= misses_;
      });
    }
  }
  [[nodiscard]] pair_counts take() const {
    pair_counts result;
    for (auto const& [p, e] : counts_) result.emplace_hint(result.end(), p, e.came);
    return result;
  }

 private:
  struct entry {
    std::uint64_t came = 0;
    std::uint64_t misses_before = 0;
  };
  std::map<std::pair<std::uint32_t, std::uint32_t>, entry> counts_;
  std::uint64_t misses_ = 0;
};

/// Calls f(function) once for each function of the backtrace without its last frame: the allocating
/// function comes by, too, if it is recursive.
class distinct_callers {
 public:
  explicit distinct_callers(std::size_t functions) : seen_(functions, 0) {}
  template <class F>
  void visit(usage const& u, function_map const& functions, stack_tree::node_id leaf, F&& f) {
    ++stamp_;
    for (auto i = u.stacks[leaf].parent; i != stack_tree::root; i = u.stacks[i].parent) {
      const std::uint32_t caller = functions.of(i);
      if (seen_[caller] == stamp_) continue;
      seen_[caller] = stamp_;
      f(caller);
    }
  }

 private:
  std::vector<std::uint32_t> seen_;
  std::uint32_t stamp_ = 0;
};

/// The sums over all stacks.
struct sums {
  std::vector<std::uint64_t> self,
      under;  // samples of each function, and with all under it (of recursive ones twice)
  std::optional<pair_counts> pairs;  // none: more than most_pairs of them
};

sums sums_of(usage const& u, function_map const& functions) {
  sums s{.self = std::vector<std::uint64_t>(functions.size()),
         .under = std::vector<std::uint64_t>(functions.size()),
         .pairs = pair_counts()};
  std::vector<stack_tree::node_id> leaves;
  for (stack_tree::node_id i = 1; i < u.stacks.size(); ++i) {
    if (u.own[i].allocated.blocks > 0) leaves.push_back(i);
  }
  std::stable_sort(leaves.begin(), leaves.end(),
                   [&](auto a, auto b) { return functions.of(a) < functions.of(b); });
  distinct_callers callers(functions.size());
  std::vector<std::uint64_t> blocks(functions.size());
  std::vector<std::uint32_t> touched;
  for (std::size_t i = 0; i < leaves.size();) {
    const std::uint32_t self = functions.of(leaves[i]);
    for (; i < leaves.size() && functions.of(leaves[i]) == self; ++i) {
      const amount a = u.own[leaves[i]].allocated;
      s.self[self] += a.samples;
      s.under[self] += a.samples;
      callers.visit(u, functions, leaves[i], [&](std::uint32_t caller) {
        s.under[caller] += a.samples;
        if (blocks[caller] == 0) touched.push_back(caller);
        blocks[caller] += a.blocks;
      });
    }
    std::sort(touched.begin(), touched.end());
    for (const std::uint32_t caller : touched) {
      if (s.pairs) s.pairs->emplace_hint(s.pairs->end(), std::pair(self, caller), blocks[caller]);
      blocks[caller] = 0;
    }
    touched.clear();
    if (s.pairs && s.pairs->size() > most_pairs) s.pairs.reset();
  }
  return s;
}

/// The same events once more, for the pairs in their order.
pair_counts pairs_in_order(trace_source& source, usage& u, function_map const& functions) {
  heavy_pairs heavy;
  distinct_callers callers(functions.size());
  stack_tree again;  // gives the same numbers to the same nodes
  reading events = source.open();
  for (trace::event e; events.next(e);) {
    if (e.kind != trace::event_kind::allocation) continue;
    const auto leaf = again.add(e, u.codes, events.reader());
    if (leaf == stack_tree::root) continue;
    callers.visit(u, functions, leaf, [&](std::uint32_t caller) {
      heavy.add({functions.of(leaf), caller});
    });
  }
  return heavy.take();
}

/// Positions are told apart by their codes: the same one may be listed twice.
void add_positions(usage const& u, function_map const& functions,
                   std::vector<hot_function*> const& listed) {
  struct at_code {
    frame const* location;
    std::uint64_t samples = 0;
  };
  std::map<std::pair<std::uint32_t, code_table::id>, at_code> at;
  for (stack_tree::node_id i = 1; i < u.stacks.size(); ++i) {
    frame const* const f = functions.location(i);
    const std::uint64_t samples = u.own[i].allocated.samples;
    if (samples == 0 || f == nullptr || listed[functions.of(i)] == nullptr) continue;
    at_code& here = at[{functions.of(i), u.stacks[i].code}];
    here.location = f;
    here.samples += samples;
  }
  for (auto const& [key, here] : at) {
    frame const& f = *here.location;
    listed[key.first]->positions.push_back({f.line, f.start_char, f.end_char, here.samples});
  }
  for (hot_function* const h : listed) {
    if (h == nullptr) continue;
    std::stable_sort(h->positions.begin(), h->positions.end(), [](auto const& a, auto const& b) {
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
  source.several();  // only if there are too many pairs, but then it must be possible
  usage_options options{.chosen = {}, .names = std::move(names), .lives = false};
  usage u = read_usage(source, options);
  const function_map functions(u);
  sums s = sums_of(u, functions);
  if (!s.pairs) s.pairs = pairs_in_order(source, u, functions);
  hotspots result{.info = u.info, .samples = u.total.allocated.samples, .functions = {}};
  const auto all = static_cast<double>(result.samples);
  const auto share = [&](std::uint64_t part) { return static_cast<double>(part) / all; };
  constexpr double least = 0.005;

  std::vector<std::uint32_t> order;
  for (std::uint32_t f = 0; f < functions.size(); ++f) {
    const auto first = s.pairs->lower_bound({f, 0});
    const bool in_a_pair = first != s.pairs->end() && first->first.first == f;
    if (in_a_pair && share(s.self[f]) > least) order.push_back(f);
  }
  std::sort(order.begin(), order.end(), [&](auto a, auto b) {
    return s.self[a] != s.self[b] ? s.self[a] > s.self[b] : functions.name(a) < functions.name(b);
  });
  result.functions.reserve(order.size());
  std::vector<hot_function*> listed(functions.size());
  for (const std::uint32_t f : order) {
    hot_function h{.function = functions.name(f),
                   .file = functions.file(f),
                   .samples = s.self[f],
                   .positions = {},
                   .callers = {}};
    const double self_share = share(s.self[f]);
    for (auto p = s.pairs->lower_bound({f, 0}); p != s.pairs->end() && p->first.first == f; ++p) {
      const std::uint64_t under = s.under[p->first.second];
      const double of_caller = static_cast<double>(p->second) / static_cast<double>(under);
      if (of_caller > std::max(0.1, 1.2 * self_share) && share(p->second) > least &&
          share(under) > least) {
        h.callers.push_back({functions.name(p->first.second), p->second, under});
      }
    }
    std::sort(h.callers.begin(), h.callers.end(), [](auto const& a, auto const& b) {
      return a.blocks != b.blocks ? a.blocks > b.blocks : a.function < b.function;
    });
    result.functions.push_back(std::move(h));
    listed[f] = &result.functions.back();
  }
  add_positions(u, functions, listed);
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
