// SPDX-License-Identifier: MIT
/// \file
/// AArch64 instructions, as far as they say where the code goes: branches, calls, and the few from
/// which the target of a call through a register is known.
#pragma once

#include <array>
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
  op what = op::other;
  std::uint8_t through = 0;  ///< the register that a call or jump goes through; if `target` is 0
  std::uintptr_t target = 0;
};

inline constexpr unsigned instruction_size = 4;

std::uint32_t word_at(std::uintptr_t address) noexcept;

instruction decode(std::uint32_t code, std::uintptr_t address) noexcept;

/// What registers hold after instructions that were executed one after the other: addresses, and
/// what was loaded from the slot at an address.
class known_registers {
 public:
  struct contents {
    enum class kind : std::uint8_t { unknown, address, in_slot };
    kind what = kind::unknown;
    std::uintptr_t bits = 0;
  };

  /// Forgets all.
  void reset() noexcept { registers_ = {}; }
  void execute(std::uint32_t code, std::uintptr_t address) noexcept;
  /// Forgets what a call may have changed: x0 to x18, and the link register.
  void after_call() noexcept;
  [[nodiscard]] contents in(unsigned number) const noexcept { return registers_[number]; }

 private:
  void set(unsigned number, contents c) noexcept {
    if (number != 31) registers_[number] = c;  // the stack pointer, or no register
  }
  void forget_written(std::uint32_t code) noexcept;

  std::array<contents, 32> registers_;
};

}  // namespace memprof::delivery::aarch64
