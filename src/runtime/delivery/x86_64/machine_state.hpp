// SPDX-License-Identifier: MIT
/// \file
/// What is known of registers and stack at one place of a landing pad.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "delivery/x86_64/decoder.hpp"

namespace memprof::delivery::x86_64 {

/// What a register or a place on the stack holds.
struct value {
  enum class kind : std::uint8_t {
    unknown,
    constant,
    selector,  ///< a constant that the personality passed, or a copy of it
    stack,     ///< rsp at the pad's entry + bits
    frame,     ///< rbp at the pad's entry + bits
    slot       ///< what the pointer at address `bits` points to: contents of the GOT
  };
  kind what = kind::unknown;
  std::uint64_t bits = 0;

  [[nodiscard]] bool is_number() const noexcept {
    return what == kind::constant || what == kind::selector;
  }
  /// stack or frame: may be the address of something tracked
  [[nodiscard]] bool is_place() const noexcept {
    return what == kind::stack || what == kind::frame;
  }
  bool operator==(value const&) const = default;

  static value constant(std::uint64_t bits) noexcept { return {kind::constant, bits}; }
};

/// The lowest `size` bytes of `v`; addresses cut short are unknown.
value truncated(value v, unsigned size) noexcept;
value sign_extended(value v, unsigned from_size) noexcept;

struct flags {
  bool known = false;
  bool carry_known = false;
  bool zero = false, sign = false, carry = false, overflow = false;
  bool operator==(flags const&) const = default;
};

/// Stack memory is known where the pad itself wrote it. A spilled selector is a temporary of the
/// compiler, so nothing but a store to that very place changes it. Other values may belong to
/// variables whose address is known elsewhere: they are forgotten at each call and each store
/// through a pointer.
class machine_state {
 public:
  /// The state in which the personality routine enters a pad.
  void enter_pad(std::optional<std::int32_t> selector) noexcept;
  /// The selector decides, which is followed.
  [[nodiscard]] bool may_be_caught() const noexcept { return true; }

  [[nodiscard]] value reg(std::uint8_t number) const noexcept { return registers_[number]; }
  void set_reg(std::uint8_t number, value v) noexcept { registers_[number] = v; }

  [[nodiscard]] value load(value address, unsigned size) const noexcept;
  void store(value address, unsigned size, value v) noexcept;
  void forget_memory() noexcept { places_ = {}; }

  /// What a call leaves, by the calling convention.
  void after_call() noexcept;

  /// Keeps what is true of both; whether that is less than before.
  bool join(machine_state const& other) noexcept;

  flags status;

 private:
  struct place {
    value address;  ///< unknown: this entry is free
    std::uint8_t size = 0;
    value content;
    bool operator==(place const&) const = default;
  };
  void forget_variables() noexcept;

  std::array<value, 16> registers_{};
  std::array<place, 8> places_{};
};

}  // namespace memprof::delivery::x86_64
