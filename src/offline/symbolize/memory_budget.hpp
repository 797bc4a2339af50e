// SPDX-License-Identifier: MIT
/// \file
/// How much memory the files that a trace names may take: they may be made to take all of it.
#pragma once

#include <cstdint>

namespace memprof::symbolize {

/// Bytes that a file's debug sections may have when they are uncompressed, and again its line
/// tables when they are read. Compilers' output shrinks to a third or a fifth, so eight times the
/// file is what no honest one reaches; zlib can make 1032 bytes of one, and zstd more.
[[nodiscard]] constexpr std::uint64_t most_memory_of(std::uint64_t file_bytes) noexcept {
  constexpr std::uint64_t floor = std::uint64_t{32} << 20;
  return file_bytes > (~std::uint64_t{0} - floor) / 8 ? ~std::uint64_t{0} : floor + 8 * file_bytes;
}

/// What all modules of a resolver may take together.
class memory_budget {
 public:
  explicit memory_budget(std::uint64_t bytes) noexcept : left_{bytes} {}
  /// Half of the machine's memory, and at most 8 GiB: twice what the largest programs have.
  static memory_budget of_this_machine() noexcept;

  /// False: there is not so much left, and nothing was taken.
  [[nodiscard]] bool take(std::uint64_t bytes) noexcept {
    if (bytes > left_) return false;
    left_ -= bytes;
    return true;
  }

 private:
  std::uint64_t left_;
};

}  // namespace memprof::symbolize
