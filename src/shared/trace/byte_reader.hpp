// SPDX-License-Identifier: MIT
/// \file
/// Takes the primitive types of the format one after another, and checks each against the end.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "encoding/encoding.hpp"
#include "trace/malformed.hpp"

namespace memprof::inline v0::trace {

inline constexpr char const* event_cut = "an event runs over the end of its packet";

/// Throws `malformed` where the bytes end too early.
class byte_reader {
 public:
  byte_reader(std::byte const* at, std::byte const* end) noexcept : at_(at), end_(end) {}

  [[nodiscard]] std::byte const* position() const noexcept { return at_; }
  [[nodiscard]] std::size_t left() const noexcept { return static_cast<std::size_t>(end_ - at_); }

  std::uint8_t u8() { return get<std::uint8_t>(); }
  std::uint16_t u16() { return get<std::uint16_t>(); }
  std::uint32_t u32() { return get<std::uint32_t>(); }
  std::uint64_t u64() { return get<std::uint64_t>(); }
  double f64() { return std::bit_cast<double>(u64()); }

  std::string_view text() {
    void const* const zero = left() == 0 ? nullptr : std::memchr(at_, 0, left());
    if (zero == nullptr) throw malformed{"a text without an end", at_};
    auto const* const begin = reinterpret_cast<char const*>(at_);
    auto const size = static_cast<std::size_t>(static_cast<char const*>(zero) - begin);
    at_ += size + 1;
    return {begin, size};
  }

 private:
  template <typename Integer>
  Integer get() {
    if (left() < sizeof(Integer)) throw malformed{event_cut, at_};
    auto const value = encoding::load<Integer>(at_);
    at_ += sizeof(Integer);
    return value;
  }

  std::byte const* at_;
  std::byte const* end_;
};

}  // namespace memprof::inline v0::trace
