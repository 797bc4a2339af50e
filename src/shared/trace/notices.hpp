// SPDX-License-Identifier: MIT
/// \file
/// Irregularities of a trace that are not errors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace memprof::inline v0::trace {

class notices {
 public:
  /// \param offset the byte of the file that it is about.
  void add(std::string const& what, std::uint64_t offset) {
    if (texts_.size() > most) return;
    if (texts_.size() == most) {
      texts_.push_back("and more of that kind");
    } else {
      texts_.push_back(what + " at byte " + std::to_string(offset));
    }
  }
  [[nodiscard]] std::span<std::string const> all() const noexcept { return texts_; }

 private:
  /// A damaged file can have one for every few bytes.
  static constexpr std::size_t most = 1000;

  std::vector<std::string> texts_;
};

}  // namespace memprof::inline v0::trace
