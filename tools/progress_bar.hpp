// SPDX-License-Identifier: MIT
/// \file
/// A progress bar on stderr, for work of more than a second.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace memprof::tools {

/// Draws nothing if stderr is no terminal, in the first second, or more often than ten times a
/// second.
class progress_bar {
 public:
  explicit progress_bar(bool wanted);
  progress_bar(progress_bar const&) = delete;
  progress_bar& operator=(progress_bar const&) = delete;
  ~progress_bar();

  /// \param size nothing if it is not known: then only the amount is shown.
  /// \param finished 100 %, and the end of the line.
  void show(std::string const& label, std::uint64_t done, std::optional<std::uint64_t> size,
            bool finished);

 private:
  using clock = std::chrono::steady_clock;
  bool wanted_;
  bool drawn_ = false;  // the cursor is in the line of the bar
  clock::time_point begin_, last_drawn_;
};

}  // namespace memprof::tools
