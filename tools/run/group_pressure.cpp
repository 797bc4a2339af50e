// SPDX-License-Identifier: MIT
#include "tools/run/group_pressure.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <utility>

#include "analysis/analysis.hpp"

namespace memprof::tools {
namespace {

using analysis::bytes_text;

constexpr double near_end = 0.9;
constexpr double enough_room = 0.8;
/// Version 1 says so that there is no limit; nobody has as much.
constexpr std::uint64_t no_limit = std::uint64_t{1} << 60;
/// Between two looks into memory.stat while most of what counts is page cache.
constexpr std::chrono::milliseconds between_whole_looks{100};

bool is_part_of(std::uint64_t used, double part, std::optional<std::uint64_t> of) {
  return of && static_cast<double>(used) >= part * static_cast<double>(*of);
}

std::string amount(std::uint64_t bytes) { return bytes_text(static_cast<double>(bytes)); }

std::optional<std::uint64_t> limit_in(std::filesystem::path const& file) {
  const auto text = text_of_file(file);
  const auto number = text ? number_in(*text) : std::nullopt;
  return number && *number < no_limit ? number : std::nullopt;
}

}  // namespace

group_reading read_group_limits(memory_group const& g) {
  group_reading r;
  if (g.second_version) {
    r.used = value_in(g.folder / "memory.current");
    r.high = limit_in(g.folder / "memory.high");
    r.limit = limit_in(g.folder / "memory.max");
  } else {
    r.used = value_in(g.folder / "memory.usage_in_bytes");
    r.limit = limit_in(g.folder / "memory.limit_in_bytes");
  }
  return r;
}

group_reading read_group(memory_group const& g) {
  group_reading r = read_group_limits(g);
  const std::string stat = text_of_file(g.folder / "memory.stat").value_or("");
  std::uint64_t dropped = 0;
  for (const char* name : g.second_version
                              ? std::array{"inactive_file", "active_file", "slab_reclaimable"}
                              : std::array{"total_inactive_file", "total_active_file", "-"}) {
    dropped += number_in(stat, name).value_or(0);
  }
  r.used -= std::min(r.used, dropped);
  if (g.second_version) {
    const std::string events = text_of_file(g.folder / "memory.events").value_or("");
    r.high_events = number_in(events, "high").value_or(0);
    r.oom_events = number_in(events, "oom").value_or(0);
  }
  return r;
}

std::string group_levels::look(group_reading const& now) {
  const bool is_near = is_part_of(now.used, near_end, now.limit);
  const bool slowed = now.high_events > high_events_ && is_part_of(now.used, near_end, now.high);
  const bool out = now.oom_events > oom_events_;
  high_events_ = std::max(high_events_, now.high_events);
  oom_events_ = std::max(oom_events_, now.oom_events);
  if (std::exchange(first_, false)) {
    near_limit_ = is_near;
    over_high_ = is_part_of(now.used, near_end, now.high);
    return {};
  }
  if (!is_part_of(now.used, enough_room, now.limit)) near_limit_ = false;
  if (!is_part_of(now.used, enough_room, now.high)) over_high_ = false;
  if (!near_limit_ && (is_near || out)) {
    near_limit_ = true;
    over_high_ = true;
    return now.limit ? fmt::format("has {} of at most {}", amount(now.used), amount(*now.limit))
                     : fmt::format("is out of memory, with {}", amount(now.used));
  }
  if (!over_high_ && slowed) {
    over_high_ = true;
    return fmt::format("has {}, and is slowed down above {}", amount(now.used), amount(*now.high));
  }
  return {};
}

group_watch::group_watch(memory_group g) : group_(std::move(g)) {
  levels_.look(read_group(group_));
}

std::string group_watch::look(clock::time_point now) {
  const group_reading r = read_group_limits(group_);
  if (!r.limit && !r.high) return {};
  const bool may_be =
      is_part_of(r.used, enough_room, r.limit) || is_part_of(r.used, enough_room, r.high);
  if (!may_be) {
    levels_.look(r);  // it may be passed again
    return {};
  }
  if (now < next_whole_look_) return {};
  const group_reading whole = read_group(group_);
  const bool is = is_part_of(whole.used, enough_room, whole.limit) ||
                  is_part_of(whole.used, enough_room, whole.high);
  if (!is) next_whole_look_ = now + between_whole_looks;
  const std::string cause = levels_.look(whole);
  return cause.empty() ? cause : fmt::format("its control group {} {}", group_.name, cause);
}

}  // namespace memprof::tools
