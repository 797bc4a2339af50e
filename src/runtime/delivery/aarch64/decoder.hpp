// SPDX-License-Identifier: MIT
/// \file
/// AArch64 instructions, as far as they say where control goes: branches, calls, returns.
#pragma once

#include <cstdint>

namespace memprof::delivery::aarch64 {

enum class op : std::uint8_t {
  other,
  call,     ///< bl, blr
  jump,     ///< b, br
  jump_if,  ///< or on
  ret,
  trap  ///< brk, udf
};

struct instruction {
  static constexpr unsigned length = 4;

  op what = op::other;
  std::uint8_t through = 0;  ///< the register that a call or jump goes through; if `target` is 0
  std::uintptr_t target = 0;
  std::uint32_t code = 0;
  std::uintptr_t address = 0;
};

std::uint32_t word_at(std::uintptr_t address) noexcept;

/// The instruction `code`, which stands at `address`.
instruction decode(std::uint32_t code, std::uintptr_t address) noexcept;

/// `count` bits of `code` from bit `low` on.
constexpr std::uint32_t field(std::uint32_t code, unsigned low, unsigned count) noexcept {
  return code >> low & ((1u << count) - 1);
}

/// The same, signed, times `scale`.
constexpr std::uintptr_t offset(std::uint32_t code, unsigned low, unsigned count,
                                std::int64_t scale) noexcept {
  const auto value = std::int64_t{field(code, low, count)};
  const std::int64_t sign = std::int64_t{1} << (count - 1);
  return static_cast<std::uintptr_t>(((value ^ sign) - sign) * scale);
}

constexpr bool is(std::uint32_t code, std::uint32_t mask, std::uint32_t bits) noexcept {
  return (code & mask) == bits;
}

}  // namespace memprof::delivery::aarch64
