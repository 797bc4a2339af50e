// SPDX-License-Identifier: MIT
/// \file
/// A cursor over bytes of a debug section that may be anything: past the end there are zeros, and
/// the cursor is bad from then on.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

namespace memprof::symbolize {

using bytes_view = std::span<std::uint8_t const>;

class byte_reader {
 public:
  explicit byte_reader(bytes_view bytes, std::uint64_t at = 0) noexcept
      : data_{bytes.data()}, size_{bytes.size()} {
    seek(at);
  }

  [[nodiscard]] bool good() const noexcept { return good_; }
  [[nodiscard]] std::uint64_t position() const noexcept { return at_; }
  [[nodiscard]] std::uint64_t left() const noexcept { return size_ - at_; }
  /// What lies behind is not read any more.
  void end_at(std::uint64_t end) noexcept {
    if (end < size_) size_ = end;
    if (at_ > size_) fail();
  }
  void seek(std::uint64_t at) noexcept {
    at_ = at;
    if (at > size_) fail();
  }
  void skip(std::uint64_t n) noexcept {
    if (n > size_ - at_)
      fail();
    else
      at_ += n;
  }
  void fail() noexcept {
    good_ = false;
    at_ = size_;
  }

  std::uint8_t u8() noexcept { return number<std::uint8_t>(); }
  std::uint16_t u16() noexcept { return number<std::uint16_t>(); }
  std::uint32_t u32() noexcept { return number<std::uint32_t>(); }
  std::uint64_t u64() noexcept { return number<std::uint64_t>(); }
  std::uint64_t u24() noexcept {
    const std::uint64_t low = u16();
    return low | std::uint64_t{u8()} << 16;
  }
  /// 1, 2, 4 or 8 bytes; anything else is bad.
  std::uint64_t sized(unsigned bytes) noexcept {
    switch (bytes) {
      case 1:
        return u8();
      case 2:
        return u16();
      case 4:
        return u32();
      case 8:
        return u64();
      default:
        fail();
        return 0;
    }
  }
  std::uint64_t uleb() noexcept {
    if (at_ < size_ && data_[at_] < 0x80) return data_[at_++];
    std::uint64_t value = 0;
    for (unsigned shift = 0; at_ < size_; shift += 7) {
      const std::uint8_t b = data_[at_++];
      if (shift < 64) value |= std::uint64_t{b & 0x7Fu} << shift;
      if (b < 0x80) return value;
    }
    fail();
    return 0;
  }
  std::int64_t sleb() noexcept {
    std::uint64_t value = 0;
    for (unsigned shift = 0; at_ < size_;) {
      const std::uint8_t b = data_[at_++];
      if (shift < 64) value |= std::uint64_t{b & 0x7Fu} << shift;
      shift += 7;
      if (b >= 0x80) continue;
      if (shift < 64 && (b & 0x40) != 0) value |= ~std::uint64_t{0} << shift;
      return static_cast<std::int64_t>(value);
    }
    fail();
    return 0;
  }
  /// The text up to a zero byte, which is passed over.
  std::string_view text() noexcept {
    if (at_ >= size_) {
      fail();
      return {};
    }
    auto const* const from = data_ + at_;
    auto const* const zero = static_cast<std::uint8_t const*>(std::memchr(from, 0, size_ - at_));
    if (zero == nullptr) {
      fail();
      return {};
    }
    const auto length = static_cast<std::size_t>(zero - from);
    at_ += length + 1;
    return {reinterpret_cast<char const*>(from), length};
  }

 private:
  template <class Number>
  Number number() noexcept {
    Number n{};
    if (size_ - at_ < sizeof n) {
      fail();
      return n;
    }
    std::memcpy(&n, data_ + at_, sizeof n);
    at_ += sizeof n;
    return n;
  }

  std::uint8_t const* data_;
  std::uint64_t size_;
  std::uint64_t at_ = 0;
  bool good_ = true;
};

}  // namespace memprof::symbolize
