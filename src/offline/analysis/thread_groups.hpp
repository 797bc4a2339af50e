// SPDX-License-Identifier: MIT
/// \file
/// The threads of a trace as rows that can be read, however many there are.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "memprof/trace/reader.hpp"

namespace memprof::analysis {

class trace_source;

/// Each thread by itself, if there are at most 64 that allocated. Else those of one name together,
/// where digits do not count ("worker-#, 5000 threads"), and beyond 64 names those that allocated
/// least ("other threads").
///
/// A thread is called by its name; if others have that, too, with its id.
class thread_groups {
 public:
  static constexpr std::size_t most = 64;

  struct group {
    std::uint32_t number;  ///< of its first thread
    std::string label;     ///< no two groups have the same
  };

  /// The code of the frame below which the stacks of a group stand: none that a program has.
  static constexpr trace::location_code code_of(group const& g) noexcept {
    return first_code + g.number;
  }
  static constexpr bool is_code(trace::location_code code) noexcept {
    return code - first_code <= 0xffff'ffff;
  }
  [[nodiscard]] group const& of_code(trace::location_code code) const {
    return of(static_cast<std::uint32_t>(code - first_code));
  }

  thread_groups() = default;
  /// \param names as reader::threads.
  /// \param samples of each number that allocated; 0: of no known thread.
  thread_groups(std::span<trace::thread const> names, trace::info const& info,
                std::map<std::uint32_t, std::uint64_t> const& samples);

  /// By number.
  [[nodiscard]] std::vector<group> const& all() const noexcept { return groups_; }
  /// Its group. A number that was not there at first is of the first one.
  [[nodiscard]] group const& of(std::uint32_t number) const;
  [[nodiscard]] bool empty() const noexcept { return groups_.empty(); }

 private:
  static constexpr trace::location_code first_code = 0xffff'fffe'0000'0000;

  void name_each(std::map<std::uint32_t, trace::thread> const& threads);
  void merge(std::map<std::uint32_t, trace::thread> const& threads,
             std::map<std::uint32_t, std::uint64_t> const& samples);

  std::vector<group> groups_;
  std::map<std::uint32_t, std::size_t> group_of_;
};

/// Reads the trace.
[[nodiscard]] thread_groups read_thread_groups(trace_source& source);

}  // namespace memprof::analysis
