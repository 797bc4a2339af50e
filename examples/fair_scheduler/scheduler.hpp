// SPDX-License-Identifier: MIT
/// \file
/// Shares one thread among tasks by work done: by what they allocate, not by time or by turns.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <memprof/fiber.hpp>
#include <memprof/memprof.hpp>

namespace example::fair_scheduler {

/// A task and what it has had.
struct job {
  std::string name;
  memprof::task<std::uint64_t> task;
  std::uint64_t turns = 0;
  memprof::words largest_request{};  ///< that a turn of it ended in
};

/// Gives each job in turn a quantum, until one has ended or each has had `rounds` of them.
///
/// A job stops at an allocation, so it may have had somewhat more than its quantum; that is taken
/// off its next turn. So each has had, after every round, its quanta and at most one request more.
/// returns     the number of whole rounds.
inline std::int64_t share(std::vector<job>& jobs, memprof::words quantum, std::int64_t rounds) {
  for (std::int64_t round = 1; round <= rounds; ++round) {
    for (job& j : jobs) {
      auto const left = quantum * round - memprof::floor_to_words(j.task.allocated());
      if (left < memprof::words{1}) continue;
      ++j.turns;
      if (j.task.run_for(left) != memprof::task_state::paused) return round - 1;
      j.largest_request = std::max(j.largest_request, j.task.pause().requested);
    }
  }
  return rounds;
}

}  // namespace example::fair_scheduler
