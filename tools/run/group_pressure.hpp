// SPDX-License-Identifier: MIT
/// \file
/// How near a control group is to being killed from, by its own files.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "tools/memory_group.hpp"

namespace memprof::tools {

/// What the files of a group say at one moment.
///
///  - `used`: bytes that the kernel cannot drop: without the page cache.
///  - `high`: above it the kernel slows the group down; none in version 1.
///  - `limit`: where the kernel kills.
///  - `high_events`, `oom_events`: how often that was so, since the group exists; 0 in version 1.
struct group_reading {
  std::uint64_t used = 0;
  std::optional<std::uint64_t> high;
  std::optional<std::uint64_t> limit;
  std::uint64_t high_events = 0;
  std::uint64_t oom_events = 0;
};

/// Its limits, and how many of its bytes count, page cache included; `used` is that for now.
[[nodiscard]] group_reading read_group_limits(memory_group const& g);
/// As above, and the files that cost more: memory.stat and the events.
[[nodiscard]] group_reading read_group(memory_group const& g);

/// Whether what a group has is a reason for a report.
class group_levels {
 public:
  /// At nine tenths of the limit, so that the report is there before the kernel kills; when the
  /// group is slowed down; and when it is out of memory without one of these before. Each again
  /// after it was below eight tenths. What was so at the first look is none: others hold it.
  ///
  /// \return the cause, as "has 184 MiB of at most 200 MiB"; empty: there is none.
  std::string look(group_reading const& now);

 private:
  bool first_ = true;
  bool near_limit_ = false;
  bool over_high_ = false;
  std::uint64_t high_events_ = 0;
  std::uint64_t oom_events_ = 0;
};

/// Looks at the files of one group.
///
/// \note Cost: 6 us a look; 50 to 100 more while it has more than eight tenths of a limit.
class group_watch {
 public:
  using clock = std::chrono::steady_clock;

  explicit group_watch(memory_group g);
  /// As group_levels::look, with the group's name.
  std::string look(clock::time_point now);

 private:
  memory_group group_;
  group_levels levels_;
  clock::time_point next_whole_look_{};
};

}  // namespace memprof::tools
