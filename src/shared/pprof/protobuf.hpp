// SPDX-License-Identifier: MIT
/// \file
/// Messages in the wire format of Protocol Buffers: as much as a profile needs.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace memprof::pprof {

class protobuf {
 public:
  /// A varint field; 0, the default, is left out.
  void number(unsigned field, std::uint64_t value) {
    if (value == 0) return;
    key(field, 0);
    varint(value);
  }
  /// 8 bytes, the lowest first; 0 is left out.
  void fixed64(unsigned field, std::uint64_t value) {
    if (value == 0) return;
    key(field, 1);
    for (int shift = 0; shift < 64; shift += 8) text_ += static_cast<char>(value >> shift);
  }
  /// A field that stands for itself even if empty.
  void bytes(unsigned field, std::string_view value) {
    key(field, 2);
    varint(value.size());
    text_ += value;
  }
  void message(unsigned field, protobuf const& m) { bytes(field, m.text_); }
  void packed(unsigned field, std::span<std::uint64_t const> values) {
    if (values.empty()) return;
    protobuf inner;
    for (const std::uint64_t v : values) inner.varint(v);
    bytes(field, inner.text_);
  }

  /// The fields of another part of the same message.
  void append(protobuf const& m) { text_ += m.text_; }

  [[nodiscard]] std::string const& text() const noexcept { return text_; }
  void clear() noexcept { text_.clear(); }

 private:
  void key(unsigned field, unsigned type) { varint(std::uint64_t{field} << 3 | type); }
  void varint(std::uint64_t v) {
    for (; v >= 0x80; v >>= 7) text_ += static_cast<char>(v | 0x80);
    text_ += static_cast<char>(v);
  }

  std::string text_;
};

}  // namespace memprof::pprof
