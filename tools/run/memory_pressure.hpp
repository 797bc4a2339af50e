// SPDX-License-Identifier: MIT
/// \file
/// Whether the kernel may be about to kill for lack of memory.
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tools/memory_group.hpp"
#include "tools/run/group_pressure.hpp"
#include "tools/run/stall_trigger.hpp"

namespace memprof::tools {

/// Where the kernel says so. Tests have folders of their own.
struct pressure_places {
  group_places groups;
  std::filesystem::path machine = "/proc/pressure/memory";
  std::filesystem::path memory = "/proc/meminfo";
};

/// Watches the control groups that this process is in, up to the outermost, and stalls for lack of
/// memory, in its group and on the machine. What cannot be watched is left out, and said.
///
/// \note Cost: 10 to 30 us a look while nothing is near a limit.
class memory_pressure {
 public:
  using clock = std::chrono::steady_clock;

  explicit memory_pressure(pressure_places const& places = {});

  /// The cause of a report, as "its control group /job has 184 MiB of at most 200 MiB"; empty:
  /// there is none. Stalls are one once a minute at most, and not in the 2 s after the first look;
  /// those on the machine only while less than a quarter of its memory is available.
  std::string look(clock::time_point now);
  /// "no stalls: /proc/pressure/memory: No such file or directory"; empty: all is watched.
  [[nodiscard]] std::string const& not_watched() const noexcept { return not_watched_; }

 private:
  struct stalls {
    std::string where;  ///< "the machine", "its control group /job"
    bool of_machine;
    std::unique_ptr<stall_trigger> trigger;
  };
  void watch_stalls(std::string where, bool of_machine, std::filesystem::path const& file);
  [[nodiscard]] std::string cause_on_machine() const;
  void leave_out(std::string const& what);

  std::filesystem::path memory_;
  std::vector<group_watch> groups_;
  std::vector<stalls> stalls_;
  std::optional<clock::time_point> first_;
  std::optional<clock::time_point> last_;
  std::string not_watched_;
};

/// Of the machine, in bytes.
struct machine_memory {
  double available = 0;  ///< without swapping
  double total = 0;
};
/// From the text of /proc/meminfo; nothing if it does not say.
[[nodiscard]] std::optional<machine_memory> machine_memory_in(std::string const& meminfo);

}  // namespace memprof::tools
