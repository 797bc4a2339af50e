// SPDX-License-Identifier: MIT
/// \file
/// What the system says of a process that is recorded: its memory over time, and its threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <sys/types.h>
#include <utility>
#include <vector>

namespace memprof::recorder {

/// Values at times, as a text of bounded size: steps double when there would be too many.
class value_series {
 public:
  /// \param step microseconds, of the first steps.
  explicit value_series(std::uint64_t step) : step_(step) {}

  /// The largest value of a step counts.
  void add(std::uint64_t time, std::uint64_t value);
  /// "STEP VALUE VALUE ...": in step k from 0 on; "-" where none was seen. Empty: no values.
  [[nodiscard]] std::string text() const;

  static constexpr std::size_t most = 256;

 private:
  static constexpr std::uint64_t nothing = ~std::uint64_t{0};
  std::uint64_t step_;
  std::vector<std::uint64_t> values_;
};

/// Looks at a process that this one can see by its id. What cannot be read is left out.
class process_watch {
 public:
  explicit process_watch(pid_t process) : process_(process) {}

  /// Some 20 us, and as many more as there are threads: 64 are read at most, new ones first.
  ///
  /// \param time microseconds since the start of its trace.
  void look(std::uint64_t time);
  /// Notes for its trace; include/memprof/trace/note.hpp says what they mean.
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> notes() const;
  /// Bytes in memory at most; 0: not known.
  [[nodiscard]] std::uint64_t resident_peak() const noexcept { return resident_peak_; }

 private:
  void look_at_memory(std::uint64_t time);
  void look_at_threads();
  [[nodiscard]] std::string threads() const;

  pid_t process_;
  std::uint64_t resident_peak_ = 0;
  std::uint64_t anonymous_ = 0;  ///< bytes, at most
  value_series resident_{250'000};
  std::map<pid_t, std::string> names_;  ///< of threads that were seen
  pid_t next_to_read_ = 0;
};

}  // namespace memprof::recorder
