// SPDX-License-Identifier: MIT
/// \file
/// What registers hold, as far as it is needed to know what is called through them.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

namespace memprof::delivery::aarch64 {

/// Addresses, and what was loaded from the slot at an address.
class known_registers {
 public:
  struct contents {
    enum class kind : std::uint8_t { unknown, address, in_slot };
    kind what = kind::unknown;
    std::uintptr_t bits = 0;
    bool operator==(contents const&) const = default;
  };

  void forget() noexcept { known_ = 0; }
  void execute(std::uint32_t code, std::uintptr_t address) noexcept;
  /// Forgets what a call may have changed: x0 to x18, and the link register.
  void after_call() noexcept;
  /// Keeps what is true of both; whether that is less than before.
  bool join(known_registers const& other) noexcept;
  [[nodiscard]] contents in(unsigned number) const noexcept {
    return (known_ >> number & 1) != 0 ? registers_[number] : contents{};
  }

 private:
  void set(unsigned number, contents c) noexcept {
    if (number == 31) return;  // the stack pointer, or no register
    registers_[number] = c;
    known_ |= 1u << number;
  }
  void forget(unsigned number) noexcept { known_ &= ~(1u << number); }
  void forget_written(std::uint32_t code) noexcept;

  std::uint32_t known_ = 0;             // bit n: register n
  std::array<contents, 31> registers_;  // the others hold anything
};

/// In a landing pad. The selector is not followed, so a handler for another type counts as much as
/// the right one; but with selector 0 the exception gets into none of them, whatever else begins at
/// the pad.
class pad_registers : public known_registers {
 public:
  void enter_pad(std::optional<std::int32_t> selector) noexcept {
    forget();
    may_be_caught_ = selector != 0;
  }
  [[nodiscard]] bool may_be_caught() const noexcept { return may_be_caught_; }

 private:
  bool may_be_caught_ = true;
};

}  // namespace memprof::delivery::aarch64
