// SPDX-License-Identifier: MIT
/// \file
/// Whether processes have far more in memory than a limit on what they have from malloc sees.
#pragma once

#include <chrono>
#include <optional>
#include <sys/types.h>
#include <vector>

namespace memprof::tools {

/// Compilers, interpreters and caches map memory themselves, which a limit on malloc's does not
/// count: whoever set it is to hear of that, once.
///
/// \see the kernel's documentation, filesystems/proc.rst: statm and smaps_rollup.
class resident_notice {
 public:
  using clock = std::chrono::steady_clock;

  /// \param limit bytes.
  explicit resident_notice(double limit) : limit_(limit) {}

  /// Looks ten times a second at most, until it has once returned a value.
  ///
  /// \param processes pages that they share count once among them.
  /// \param by_malloc bytes. May be of a little before: blocks that were just requested, or whose
  ///   pages the allocator is just about to give back, are in the memory and not in the sum.
  /// \return the bytes of their anonymous memory, if at two looks in a row that is over the limit,
  ///   malloc's is not, and the rest is more than a quarter of the limit (and 16 MiB: what any
  ///   program has, with this library, is no news). So it comes at five fourths of the limit at the
  ///   latest, or 16 MiB above it, unless malloc's is over it by then. Of the two, the less of this
  ///   memory and the more of malloc's count.
  /// \note Cost: 10 us for each process. If the limit is passed should several not share pages, 35
  ///   ms for each GiB of theirs: a fiftieth of the time at most.
  std::optional<double> look(clock::time_point now, std::vector<pid_t> const& processes,
                             double by_malloc);

 private:
  double limit_;
  clock::time_point next_{};
  /// Of the last look, if that was over the limit.
  struct amounts {
    double bytes;
    double by_malloc;
  };
  std::optional<amounts> before_;
  bool said_ = false;

  [[nodiscard]] bool is_news(amounts const& a) const;
};

}  // namespace memprof::tools
