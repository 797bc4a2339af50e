// SPDX-License-Identifier: MIT
/// \file
/// The blocks of this process as the page computes with them: made anew while somebody looks.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "endpoints/code_names.hpp"

namespace memprof::endpoints {

/// \note Threads: one at a time.
class live_index {
 public:
  /// Looks at the blocks again, if they have changed: a second after the last time at the earliest,
  /// and so seldom that it takes a twentieth of a processor at most. Keeps what is freed during the
  /// next `patience`, until when somebody should ask again.
  void refresh(code_names& names);

  /// What /api/trace says; what /api/index answers. Of the last refresh.
  [[nodiscard]] std::string const& facts() const noexcept { return facts_; }
  [[nodiscard]] std::string const& bytes() const noexcept { return bytes_; }
  [[nodiscard]] std::uint64_t generation() const noexcept { return generation_; }

  /// Browsers let a page that is in the background look once a minute.
  static constexpr std::chrono::seconds patience{150};

 private:
  using clock = std::chrono::steady_clock;

  std::string facts_, bytes_;
  std::uint64_t generation_ = 0;
  std::uint64_t changes_ = 0;
  clock::time_point next_;
};

}  // namespace memprof::endpoints
