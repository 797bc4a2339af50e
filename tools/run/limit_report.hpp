// SPDX-License-Identifier: MIT
/// \file
/// A report of who holds the memory of the processes under a limit.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <sys/types.h>
#include <vector>

#include "recorder/recorder.hpp"
#include "symbolize/symbolize.hpp"

namespace memprof::tools {

/// What is known at the moment that a report is of. It is made by the recorder's thread, and read
/// by the one that writes reports.
///
///  - `snapshot`: of the blocks; null: none was sampled.
///  - `processes`: that live, largest first.
///  - `live`: of all of them.
///  - `cause`: "over its limit of 200 MiB".
/// not_watched what of the kernel's signs of too little memory is not seen; empty: all is.
/// what_counts the amount that the limit is for, if that is not live memory: "212 MiB resident".
///  - `mostly_mapped`: less than half of that is from malloc: no stack says who has it.
struct limit_report {
  struct process {
    pid_t id = 0;
    std::string program;
    double live = 0;
    std::uint64_t resident = 0;
  };
  std::unique_ptr<recorder::live_snapshot> snapshot;
  std::vector<process> processes;
  recorder::live_amount live;
  double rate = 0;
  std::string cause;
  std::string what_counts;
  bool mostly_mapped = false;
  std::string not_watched;
  std::chrono::system_clock::time_point when;
  std::chrono::microseconds since_start{0};
};

/// At most 20 lines; the first says who holds most.
///
/// \note Cost: as far as names must be looked up: up to seconds, the first time.
[[nodiscard]] std::string report_text(limit_report const& r,
                                      std::shared_ptr<symbolize::resolver> const& names);

/// Writes a profile for pprof. There must be a snapshot.
void write_report_profile(limit_report const& r, std::shared_ptr<symbolize::resolver> const& names,
                          std::filesystem::path const& file);

}  // namespace memprof::tools
