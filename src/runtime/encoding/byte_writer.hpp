// SPDX-License-Identifier: MIT
/// \file
/// Puts the primitive types of the format one after another.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string_view>

#include "encoding/format.hpp"

namespace memprof::encoding {

/// A position in a buffer. The caller makes sure beforehand that there is room.
class byte_writer {
 public:
  explicit byte_writer(std::byte* at) noexcept : at_(at) {}

  [[nodiscard]] std::byte* position() const noexcept { return at_; }

  void u8(std::uint8_t value) noexcept { put(value); }
  void u16(std::uint16_t value) noexcept { put(value); }
  void u32(std::uint32_t value) noexcept { put(value); }
  void u64(std::uint64_t value) noexcept { put(value); }
  void f64(double value) noexcept { put(std::bit_cast<std::uint64_t>(value)); }

  /// Without `text`'s first zero byte and what follows it; see `text_before_zero`.
  void text(std::string_view text) noexcept {
    if (!text.empty()) std::memcpy(at_, text.data(), text.size());
    at_ += text.size();
    u8(0);
  }

  void vint(std::int64_t value) noexcept {
    if (value >= 0 && value <= 252) {
      u8(static_cast<std::uint8_t>(value));
    } else if (value >= 0 && value <= 65535) {
      u8(253);
      u16(static_cast<std::uint16_t>(value));
    } else if (value >= std::numeric_limits<std::int32_t>::min() &&
               value <= std::numeric_limits<std::int32_t>::max()) {
      u8(254);
      u32(static_cast<std::uint32_t>(value));
    } else {
      u8(255);
      u64(static_cast<std::uint64_t>(value));
    }
  }

 private:
  template <typename Integer>
  void put(Integer value) noexcept {
    value = little_endian(value);
    std::memcpy(at_, &value, sizeof value);
    at_ += sizeof value;
  }

  std::byte* at_;
};

/// The part of a text that can be written: in the file it ends with a zero byte.
inline std::string_view text_before_zero(std::string_view text) noexcept {
  return text.substr(0, text.find('\0'));
}

}  // namespace memprof::encoding
