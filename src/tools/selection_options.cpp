// SPDX-License-Identifier: MIT
#include "tools/selection_options.hpp"

#include <CLI/CLI.hpp>
#include <charconv>
#include <cmath>
#include <vector>

#include "tools/amount.hpp"
#include "tools/usage_error.hpp"

namespace memprof::tools {
namespace {

using texts = std::vector<std::string>;
using time = std::chrono::microseconds;

[[noreturn]] void refuse(std::string_view option, std::string const& text, char const* why) {
  throw usage_error(std::string(option) + ": '" + text + "' " + why);
}

std::vector<analysis::name_pattern> patterns(char const* option, texts const& all) {
  std::vector<analysis::name_pattern> result;
  for (std::string const& text : all) {
    try {
      result.emplace_back(text);
    } catch (std::invalid_argument const& e) {
      throw usage_error(std::string(option) + ": " + e.what());
    }
  }
  return result;
}

void leave_out(analysis::heap_set& set, std::string const& name) {
  (name == "minor" ? set.minor : name == "major" ? set.major : set.external) = false;
}

}  // namespace

time parse_time(std::string_view option, std::string const& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || !(value >= 0)) refuse(option, text, "is no time");
  std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  while (unit.starts_with(' ')) unit.remove_prefix(1);
  const double us = unit == "us"                  ? 1
                    : unit == "ms"                ? 1e3
                    : unit == "s" || unit.empty() ? 1e6
                    : unit == "min"               ? 60e6
                    : unit == "h"                 ? 3600e6
                                                  : 0;
  if (us == 0) refuse(option, text, "has no unit of time: us ms s min h");
  if (value * us >= 0x1p62) refuse(option, text, "is too long a time");
  return time(std::llround(value * us));
}

/// What was given, as text; the options of ranges are made from `ranges`.
struct selection_options::given {
  struct time_range {
    char const* name;
    char const* what;
    texts between;
    std::string from, to;
  };
  time_range allocated{"allocated", "allocated", {}, {}, {}};
  time_range live{"live", "there at some time", {}, {}, {}};
  time_range collected{"collected", "collected", {}, {}, {}};
  std::string live_at, size_min, size_max, lifetime_min, lifetime_max;
  bool live_at_peak = false, live_at_end = false, never_collected = false;
  texts inside, not_inside, files, not_files, heaps, not_heaps, hide;
  std::vector<std::uint16_t> domains;

  static analysis::range<time> range_of(time_range const& r) {
    const std::string base = "--" + std::string(r.name);
    analysis::range<time> result;
    const auto narrow_from = [&](time t) {
      result.from = result.from ? std::max(*result.from, t) : t;
    };
    const auto narrow_to = [&](time t) { result.to = result.to ? std::min(*result.to, t) : t; };
    if (!r.between.empty()) {
      narrow_from(parse_time(base + "-between", r.between[0]));
      narrow_to(parse_time(base + "-between", r.between[1]));
    }
    if (!r.from.empty()) narrow_from(parse_time(base + "-after", r.from));
    if (!r.to.empty()) narrow_to(parse_time(base + "-before", r.to));
    if (result.from && result.to && *result.from > *result.to) {
      throw usage_error(base + "-...: the range is empty");
    }
    return result;
  }

  analysis::heap_set heap_choice() const {
    analysis::heap_set set;
    if (!heaps.empty()) {
      set = {false, false, false};
      for (std::string const& h : heaps) {
        (h == "minor" ? set.minor : h == "major" ? set.major : set.external) = true;
      }
    }
    for (std::string const& h : not_heaps) leave_out(set, h);
    if (!set.minor && !set.major && !set.external) {
      throw usage_error("--heap, --not-heap: no heap is left");
    }
    return set;
  }
};

selection_options::selection_options() : given_(std::make_unique<given>()) {}
selection_options::selection_options(selection_options&&) noexcept = default;
selection_options& selection_options::operator=(selection_options&&) noexcept = default;
selection_options::~selection_options() = default;

void selection_options::add(CLI::App& app) {
  given& g = *given_;
  char const* const group = "Which blocks (all must hold; times from the start: 2s, 300ms, 1min)";
  const auto option = [&](std::string const& name, auto& value, std::string const& what,
                          char const* type) {
    return app.add_option(name, value, what)->type_name(type)->group(group);
  };
  const auto flag = [&](char const* name, bool& value, char const* what) {
    app.add_flag(name, value, what)->group(group);
  };
  for (given::time_range* r : {&g.allocated, &g.live, &g.collected}) {
    const std::string base = "--" + std::string(r->name);
    const std::string what = r->what;
    option(base + "-between", r->between, what + " in this range", "FROM TO")->expected(2);
    option(base + "-after", r->from, what + " at or after it", "TIME");
    option(base + "-before", r->to, what + " at or before it", "TIME");
  }
  option("--live-at", g.live_at, "there at this time", "TIME");
  flag("--live-at-peak", g.live_at_peak, "there when most was in use");
  flag("--live-at-end", g.live_at_end, "there when the trace ends");
  flag("--never-collected", g.never_collected, "the same");
  option("--size-min", g.size_min, "of so many bytes or more: 100KiB", "SIZE");
  option("--size-max", g.size_max, "of so many bytes or less", "SIZE");
  option("--lifetime-min", g.lifetime_min, "there for so long or longer", "TIME");
  option("--lifetime-max", g.lifetime_max, "there for so long or shorter", "TIME");
  const auto names = [&](char const* name, texts& value, char const* what) {
    option(name, value, what, "NAME")->allow_extra_args(false);
  };
  names("--function", g.inside,
        "allocated under a function whose name contains NAME, is =NAME, or "
        "matches /REGEX/ (repeat: under each)");
  names("--not-function", g.not_inside, "not under such a function");
  names("--file", g.files, "under code of such a source file");
  names("--not-file", g.not_files, "not under code of such a source file");
  const auto heaps = [&](char const* name, texts& value, char const* what) {
    option(name, value, what, "HEAP")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->check(CLI::IsMember({"minor", "major", "external"}));
  };
  heaps("--heap", g.heaps, "on these heaps: minor,major,external");
  heaps("--not-heap", g.not_heaps, "not on these heaps");
  option("--domain", g.domains, "of this domain or thread (repeat: or that)", "N")
      ->delimiter(',')
      ->allow_extra_args(false);
  app.add_option("--hide", g.hide, "Leave functions out of the stacks (amounts stay)")
      ->type_name("NAME")
      ->allow_extra_args(false)
      ->group(group);
}

analysis::selection selection_options::selection() const {
  given const& g = *given_;
  analysis::selection s;
  s.allocated = given::range_of(g.allocated);
  s.live = given::range_of(g.live);
  s.collected = given::range_of(g.collected);
  if (!g.live_at.empty()) s.live_at = parse_time("--live-at", g.live_at);
  s.live_at_peak = g.live_at_peak;
  s.live_at_end = g.live_at_end;
  s.never_collected = g.never_collected;
  const auto size = [](char const* name, std::string const& text) {
    return static_cast<double>(parse_amount(name, text).count());
  };
  if (!g.size_min.empty()) s.size_bytes.from = size("--size-min", g.size_min);
  if (!g.size_max.empty()) s.size_bytes.to = size("--size-max", g.size_max);
  if (!g.lifetime_min.empty()) s.lifetime.from = parse_time("--lifetime-min", g.lifetime_min);
  if (!g.lifetime_max.empty()) s.lifetime.to = parse_time("--lifetime-max", g.lifetime_max);
  s.inside = patterns("--function", g.inside);
  s.not_inside = patterns("--not-function", g.not_inside);
  s.files = patterns("--file", g.files);
  s.not_files = patterns("--not-file", g.not_files);
  s.hide = patterns("--hide", g.hide);
  s.heaps = g.heap_choice();
  s.domains.insert(g.domains.begin(), g.domains.end());
  return s;
}

}  // namespace memprof::tools
