// SPDX-License-Identifier: MIT
#include "analysis/hotspots.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <tuple>
#include <vector>

#include "analysis/hotspot_sums.hpp"
#include "analysis/trace_source.hpp"
#include "text/text.hpp"

namespace memprof::analysis {
namespace {

/// Positions are distinguished by their codes: the same one may be listed twice.
void add_positions(hotspot_sums const& s, std::vector<hot_function*> const& listed) {
  for (code_table::id i = 0; i < s.at().size(); ++i) {
    if (s.at()[i] == 0) continue;
    function_map::meaning const& m = s.functions().of(i);
    if (!m.located || listed[m.function] == nullptr) continue;
    listed[m.function]->positions.push_back(
        {m.location.line, m.location.start_char, m.location.end_char, s.at()[i]});
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
  if (n < 100) return fmt::format("{:>4.0f} B", n);
  char const* unit = "";
  for (char const* const larger : {"kB", "MB", "GB", "TB"}) {
    unit = larger;
    n /= 1024;
    if (n < 100) break;
  }
  return fmt::format("{:>4.1f} {}", n, unit);
}

}  // namespace

hotspots find_hotspots(trace_source& source, std::shared_ptr<symbolize::resolver> names) {
  reading events = source.open();
  hotspot_sums s(std::move(names));
  for (trace::event e; events.next(e);) {
    if (e.kind == trace::event_kind::allocation) s.add(e, events.reader());
  }
  s.finish();
  hotspots result{.info = events.info(), .samples = s.samples(), .functions = {}};
  const auto all = static_cast<double>(result.samples);
  const auto share = [&](std::uint64_t part) { return static_cast<double>(part) / all; };
  constexpr double least = 0.005;
  const auto pairs = s.pairs().by_function(s.functions().size());

  std::vector<std::uint32_t> order;
  for (std::uint32_t f = 0; f < s.self().size(); ++f) {
    if (!pairs[f].empty() && share(s.self()[f]) > least) order.push_back(f);
  }
  std::sort(order.begin(), order.end(), [&](auto a, auto b) {
    return s.self()[a] != s.self()[b] ? s.self()[a] > s.self()[b]
                                      : s.functions().name(a) < s.functions().name(b);
  });
  result.functions.reserve(order.size());
  std::vector<hot_function*> listed(s.functions().size());
  for (const std::uint32_t f : order) {
    hot_function h{.function = s.functions().name(f),
                   .file = s.functions().file(f),
                   .samples = s.self()[f],
                   .positions = {},
                   .callers = {}};
    for (auto const& p : pairs[f]) {
      const std::uint64_t under = s.under()[p.caller];
      const double of_caller = static_cast<double>(p.blocks) / static_cast<double>(under);
      if (of_caller > std::max(0.1, 1.2 * share(s.self()[f])) && share(p.blocks) > least &&
          share(under) > least) {
        h.callers.push_back({s.functions().name(p.caller), p.blocks, under});
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
  const auto percent = [](std::uint64_t part, std::uint64_t whole) {
    return 100 * static_cast<double>(part) / static_cast<double>(whole);
  };
  std::string text = fmt::format("Trace for {} [{}]:\n   {} samples of {} allocations\n\n",
                                 text::printable(h.info.executable_name), h.info.pid, h.samples,
                                 amount_text(h.samples));
  const auto out = std::back_inserter(text);
  for (hot_function const& f : h.functions) {
    fmt::format_to(out, "{} ({:>4.1f}%) at {} ({}:", amount_text(f.samples),
                   percent(f.samples, h.samples), text::printable(f.function),
                   text::printable(f.file));
    for (std::size_t i = 0; i < f.positions.size() && i < 3; ++i) {
      hot_position const& p = f.positions[i];
      fmt::format_to(out, "{}{}:{}-{}", i == 0 ? "" : ", ", p.line, p.start_char, p.end_char);
    }
    text += f.positions.size() > 3 ? "...)\n" : ")\n";
    if (!f.callers.empty()) text += "      including:\n";
    for (hot_caller const& c : f.callers) {
      fmt::format_to(out, "    {} via {} ({:.0f}% of this)\n", amount_text(c.blocks),
                     text::printable(c.function), percent(c.blocks, c.of_caller));
    }
    text += '\n';
  }
  return text;
}

}  // namespace memprof::analysis
