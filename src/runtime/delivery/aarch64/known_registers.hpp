// SPDX-License-Identifier: MIT
/// \file
/// What registers hold, as far as it is needed to know what is called through them, and which
/// handler of a landing pad its selector chooses.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

namespace memprof::delivery::aarch64 {

/// Addresses, what was loaded from the slot at an address, and the selector of a landing pad with
/// what is computed from it.
class known_registers {
 public:
  struct contents {
    enum class kind : std::uint8_t { unknown, address, in_slot, number };
    kind what = kind::unknown;
    std::uintptr_t bits = 0;
    bool operator==(contents const&) const = default;
  };

  /// N, Z, C and V, after a comparison of a number.
  struct flags {
    bool known = false;
    bool negative = false, zero = false, carry = false, overflow = false;
    bool operator==(flags const&) const = default;
  };

  void forget() noexcept {
    known_ = 0;
    flags_ = {};
  }
  void execute(std::uint32_t code, std::uintptr_t address) noexcept;
  /// Forgets what a call may have changed: x0 to x18, and the link register.
  void after_call() noexcept;
  /// Keeps what is true of both; whether that is less than before.
  bool join(known_registers const& other) noexcept;
  [[nodiscard]] contents in(unsigned number) const noexcept {
    return (known_ >> number & 1) != 0 ? registers_[number] : contents{};
  }
  /// Whether b.cond, cbz, cbnz, tbz or tbnz jumps, if what it looks at is known.
  [[nodiscard]] std::optional<bool> is_taken(std::uint32_t code) const noexcept;

 protected:
  void set(unsigned number, contents c) noexcept {
    if (number == 31) return;  // the stack pointer, or no register
    registers_[number] = c;
    known_ |= 1u << number;
  }

 private:
  void forget(unsigned number) noexcept { known_ &= ~(1u << number); }
  void forget_written(std::uint32_t code) noexcept;
  bool add_or_subtract(std::uint32_t code) noexcept;
  [[nodiscard]] bool holds(unsigned condition) const noexcept;

  std::uint32_t known_ = 0;             // bit n: register n
  std::array<contents, 31> registers_;  // the others hold anything
  flags flags_;
};

/// In a landing pad. The selector is followed through registers, not through the stack, where code
/// that was not optimised keeps it: there a handler for another type counts as much as the right
/// one. With selector 0 the exception gets into none of them, whatever else begins at the pad.
class pad_registers : public known_registers {
 public:
  void enter_pad(std::optional<std::int32_t> selector) noexcept {
    forget();
    if (selector)
      set(1, {contents::kind::number, static_cast<std::uintptr_t>(std::int64_t{*selector})});
    may_be_caught_ = selector != 0;
  }
  [[nodiscard]] bool may_be_caught() const noexcept { return may_be_caught_; }

 private:
  bool may_be_caught_ = true;
};

}  // namespace memprof::delivery::aarch64
