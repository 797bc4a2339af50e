// SPDX-License-Identifier: MIT
/// \file
/// Our decoder against Zydis over a library's code, or over any bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "decoder/library_code.hpp"
#include "decoder/zydis_reading.hpp"
#include "delivery/x86_64/decoder.hpp"

namespace memprof::test {

class comparison {
 public:
  /// name        for the table and for messages.
  /// bias        taken from the addresses in messages.
  explicit comparison(std::string name, std::uintptr_t bias = 0)
      : name_(std::move(name)), bias_(bias) {}

  /// Compares what stands in `range`, one instruction after the other, by the lengths of Zydis.
  /// Prints contradictions to standard output, 20 at most.
  void compare(code_range range);

  /// Compares what stands at `code`, of which `available` bytes may be read, as if it stood at
  /// `address`. Returns its length by Zydis; 0 if Zydis does not know it: then it is not counted.
  unsigned compare(unsigned char const* code, std::size_t available, std::uintptr_t address);

  /// A line of the table, and what stands above it.
  void print() const;
  static void print_heading();

  [[nodiscard]] std::uint64_t contradictions() const noexcept { return contradictions_; }
  /// Share of the instructions that our decoder refuses, or of which it says only that they may
  /// write anything; in percent.
  [[nodiscard]] double refused() const noexcept { return percent(refused_); }
  [[nodiscard]] double unknown() const noexcept { return percent(unknown_); }

 private:
  [[nodiscard]] double percent(std::uint64_t n) const noexcept;
  void report(unsigned char const* code, std::string const& what,
              delivery::x86_64::instruction const& ours, zydis_reading const& theirs);

  std::string name_;
  std::uintptr_t bias_;
  zydis_decoder zydis_;
  std::uint64_t procedures_ = 0;
  std::uint64_t left_ = 0;  ///< procedures with bytes that Zydis does not know
  std::uint64_t instructions_ = 0;
  std::uint64_t refused_ = 0;
  std::uint64_t unfollowed_ = 0;  ///< op::other
  std::uint64_t unknown_ = 0;     ///< of these, with `writes_anything`
  std::uint64_t contradictions_ = 0;
};

}  // namespace memprof::test
