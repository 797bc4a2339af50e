// SPDX-License-Identifier: MIT
#include "analysis/selection_text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <optional>

namespace memprof::analysis {
namespace {

using time = selection::time;

[[noreturn]] void refuse(std::string_view name, std::string const& text, char const* why) {
  throw selection_error(name, fmt::format("'{}' {}", text, why));
}

void narrow_from(range<time>& r, time t) { r.from = r.from ? std::max(*r.from, t) : t; }
void narrow_to(range<time>& r, time t) { r.to = r.to ? std::min(*r.to, t) : t; }

bool flag(named_text const& t) {
  if (t.value != "0" && t.value != "1") refuse(t.name, t.value, "is neither 0 nor 1");
  return t.value == "1";
}

void add_pattern(std::vector<name_pattern>& to, named_text const& t) {
  try {
    to.emplace_back(t.value);
  } catch (std::invalid_argument const& e) {
    throw selection_error(t.name, e.what());
  }
}

/// f(part) for each part of "a,b,c".
template <class F>
void for_each_part(std::string_view list, F&& f) {
  for (;;) {
    const std::size_t comma = list.find(',');
    f(std::string(list.substr(0, comma)));
    if (comma == list.npos) return;
    list.remove_prefix(comma + 1);
  }
}

bool& heap_named(heap_set& set, named_text const& t, std::string const& name) {
  if (name == "minor") return set.minor;
  if (name == "major") return set.major;
  if (name == "external") return set.external;
  refuse(t.name, name, "is no heap: minor, major or external");
}

std::uint16_t domain_of(named_text const& t, std::string const& text) {
  std::uint16_t number = 0;
  char const* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc{} || rest != end) refuse(t.name, text, "is no domain: 0 to 65535");
  return number;
}

/// What is being made of the texts, and what is settled when all of them are there.
struct reading_of_texts {
  selection s;
  std::optional<heap_set> heaps;
  heap_set left_out{false, false, false};

  void add(named_text const& t);
  selection finish();
};

struct part {
  std::string_view name;
  void (*read)(reading_of_texts&, named_text const&);
};

constexpr std::array parts{
    part{"allocated-after",
         [](auto& r, auto& t) { narrow_from(r.s.allocated, parse_time(t.name, t.value)); }},
    part{"allocated-before",
         [](auto& r, auto& t) { narrow_to(r.s.allocated, parse_time(t.name, t.value)); }},
    part{"live-after",
         [](auto& r, auto& t) { narrow_from(r.s.live, parse_time(t.name, t.value)); }},
    part{"live-before", [](auto& r, auto& t) { narrow_to(r.s.live, parse_time(t.name, t.value)); }},
    part{"collected-after",
         [](auto& r, auto& t) { narrow_from(r.s.collected, parse_time(t.name, t.value)); }},
    part{"collected-before",
         [](auto& r, auto& t) { narrow_to(r.s.collected, parse_time(t.name, t.value)); }},
    part{"live-at", [](auto& r, auto& t) { r.s.live_at = parse_time(t.name, t.value); }},
    part{"live-at-peak", [](auto& r, auto& t) { r.s.live_at_peak = flag(t); }},
    part{"live-at-end", [](auto& r, auto& t) { r.s.live_at_end = flag(t); }},
    part{"never-collected", [](auto& r, auto& t) { r.s.never_collected = flag(t); }},
    part{"size-min",
         [](auto& r, auto& t) {
           r.s.size_bytes.from = static_cast<double>(parse_amount(t.name, t.value).count());
         }},
    part{"size-max",
         [](auto& r, auto& t) {
           r.s.size_bytes.to = static_cast<double>(parse_amount(t.name, t.value).count());
         }},
    part{"lifetime-min", [](auto& r, auto& t) { r.s.lifetime.from = parse_time(t.name, t.value); }},
    part{"lifetime-max", [](auto& r, auto& t) { r.s.lifetime.to = parse_time(t.name, t.value); }},
    part{"freed-within",
         [](auto& r, auto& t) {
           r.s.freed_within = static_cast<double>(parse_amount(t.name, t.value).count());
         }},
    part{"function", [](auto& r, auto& t) { add_pattern(r.s.inside, t); }},
    part{"not-function", [](auto& r, auto& t) { add_pattern(r.s.not_inside, t); }},
    part{"file", [](auto& r, auto& t) { add_pattern(r.s.files, t); }},
    part{"not-file", [](auto& r, auto& t) { add_pattern(r.s.not_files, t); }},
    part{"hide", [](auto& r, auto& t) { add_pattern(r.s.hide, t); }},
    part{"heap",
         [](auto& r, auto& t) {
           if (!r.heaps) r.heaps = heap_set{false, false, false};
           for_each_part(t.value, [&](auto const& h) { heap_named(*r.heaps, t, h) = true; });
         }},
    part{"not-heap",
         [](auto& r, auto& t) {
           for_each_part(t.value, [&](auto const& h) { heap_named(r.left_out, t, h) = true; });
         }},
    part{"thread", [](auto& r, auto& t) { add_pattern(r.s.threads, t); }},
    part{"domain",
         [](auto& r, auto& t) {
           for_each_part(t.value, [&](auto const& d) { r.s.domains.insert(domain_of(t, d)); });
         }},
};

void reading_of_texts::add(named_text const& t) {
  const auto at = std::find_if(parts.begin(), parts.end(),
                               [&](part const& p) { return p.name == std::string_view(t.name); });
  if (at == parts.end()) throw selection_error(t.name, "no selection has such a part");
  at->read(*this, t);
}

selection reading_of_texts::finish() {
  const auto check = [](char const* name, range<time> const& r) {
    if (r.from && r.to && *r.from > *r.to) throw selection_error(name, "the range is empty");
  };
  check("allocated-after", s.allocated);
  check("live-after", s.live);
  check("collected-after", s.collected);
  s.heaps = heaps.value_or(heap_set{});
  s.heaps.minor = s.heaps.minor && !left_out.minor;
  s.heaps.major = s.heaps.major && !left_out.major;
  s.heaps.external = s.heaps.external && !left_out.external;
  if (!s.heaps.minor && !s.heaps.major && !s.heaps.external) {
    throw selection_error("not-heap", "no heap is left");
  }
  const std::size_t patterns = s.inside.size() + s.not_inside.size() + s.files.size() +
                               s.not_files.size() + s.threads.size();
  if (patterns > 64) throw selection_error("function", "more than 64 patterns");
  if (s.hide.size() > 64) throw selection_error("hide", "more than 64 patterns");
  return std::move(s);
}

}  // namespace

selection selection_of(std::vector<named_text> const& texts) {
  reading_of_texts r;
  for (named_text const& t : texts) r.add(t);
  return r.finish();
}

time parse_time(std::string_view name, std::string const& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || !(value >= 0)) refuse(name, text, "is no time");
  std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  while (unit.starts_with(' ')) unit.remove_prefix(1);
  const double us = unit == "us"                  ? 1
                    : unit == "ms"                ? 1e3
                    : unit == "s" || unit.empty() ? 1e6
                    : unit == "min"               ? 60e6
                    : unit == "h"                 ? 3600e6
                                                  : 0;
  if (us == 0) refuse(name, text, "has no unit of time: us ms s min h");
  if (value * us >= 0x1p62) refuse(name, text, "is too long a time");
  return time(std::llround(value * us));
}

bytes parse_amount(std::string_view name, std::string const& text) {
  struct unit {
    std::string_view name;
    double bytes;
  };
  static constexpr std::array<unit, 8> units{{{"B", 1},
                                              {"KiB", 0x1p10},
                                              {"MiB", 0x1p20},
                                              {"GiB", 0x1p30},
                                              {"TiB", 0x1p40},
                                              {"w", 8},
                                              {"kw", 8e3},
                                              {"Mw", 8e6}}};
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || !std::isfinite(value)) refuse(name, text, "is not a number");
  std::string_view rest(end, static_cast<std::size_t>(text.data() + text.size() - end));
  while (rest.starts_with(' ')) rest.remove_prefix(1);
  for (unit const& u : units) {
    if (u.name != rest) continue;
    const double size = std::ceil(value * u.bytes);
    if (!(size >= 0)) refuse(name, text, "is negative");
    if (size >= 0x1p63) refuse(name, text, "is more than 63 bits hold");
    return bytes{static_cast<std::int64_t>(size)};
  }
  refuse(name, text, "needs a unit: B KiB MiB GiB TiB, or w kw Mw (words of 8 bytes)");
}

}  // namespace memprof::analysis
