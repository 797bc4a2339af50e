// SPDX-License-Identifier: MIT
/// \file
/// Reading the encodings of DWARF's unwind tables: LEB128 numbers and encoded pointers.
#pragma once

#include <cstdint>
#include <cstring>

#include "modules/modules.hpp"

namespace memprof::callstack {

/// Encodings of pointers (DW_EH_PE_*): low four bits the format, next three what it is relative
/// to, the top one an indirection.
enum pointer_encoding : unsigned char {
  encoding_absolute = 0x00,
  encoding_uleb = 0x01,
  encoding_udata2 = 0x02,
  encoding_udata4 = 0x03,
  encoding_udata8 = 0x04,
  encoding_sleb = 0x09,
  encoding_sdata2 = 0x0a,
  encoding_sdata4 = 0x0b,
  encoding_sdata8 = 0x0c,
  encoding_pc_relative = 0x10,
  encoding_data_relative = 0x30,
  encoding_indirect = 0x80,
  encoding_omitted = 0xff
};

/// A cursor over a table. Reading past the end makes it fail for good, and returns zeros.
class table_reader {
 public:
  table_reader(unsigned char const* begin, unsigned char const* end) noexcept
      : at_(begin), end_(end) {}

  [[nodiscard]] bool failed() const noexcept { return failed_; }
  [[nodiscard]] bool at_end() const noexcept { return failed_ || at_ >= end_; }
  [[nodiscard]] unsigned char const* position() const noexcept { return at_; }
  [[nodiscard]] std::uint64_t left() const noexcept {
    return at_ < end_ ? static_cast<std::uint64_t>(end_ - at_) : 0;
  }

  void skip(std::uint64_t count) noexcept {
    if (failed_ || count > left()) {
      failed_ = true;
    } else {
      at_ += count;
    }
  }

  template <class T>
  T fixed() noexcept {
    T value{};
    unsigned char const* const from = at_;
    skip(sizeof value);
    if (!failed_) std::memcpy(&value, from, sizeof value);
    return value;
  }

  std::uint64_t uleb() noexcept {
    std::uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
      const auto byte = fixed<unsigned char>();
      if (shift < 64) value |= std::uint64_t{byte & 0x7fu} << shift;
      if ((byte & 0x80) == 0 || failed_) return value;
    }
  }

  std::int64_t sleb() noexcept {
    std::uint64_t value = 0;
    unsigned shift = 0;
    unsigned char byte;
    do {
      byte = fixed<unsigned char>();
      if (shift < 64) value |= std::uint64_t{byte & 0x7fu} << shift;
      shift += 7;
    } while ((byte & 0x80) != 0 && !failed_);
    if ((byte & 0x40) != 0 && shift < 64) value |= ~std::uint64_t{0} << shift;
    return static_cast<std::int64_t>(value);
  }

  /// An encoded pointer; 0 stays 0 whatever it is relative to. Fails on an unknown encoding, and on
  /// an indirection through what is not in a loaded module.
  ///
  /// \param data_base what `encoding_data_relative` is relative to.
  std::uintptr_t pointer(unsigned char encoding, std::uintptr_t data_base = 0) noexcept {
    if (encoding == encoding_omitted) return 0;
    const auto start = reinterpret_cast<std::uintptr_t>(at_);
    std::uintptr_t value = raw(encoding & 0x0f);
    if (value == 0) return 0;
    switch (encoding & 0x70) {
      case encoding_absolute:
        break;
      case encoding_pc_relative:
        value += start;
        break;
      case encoding_data_relative:
        value += data_base;
        break;
      default:
        failed_ = true;
    }
    if ((encoding & encoding_indirect) != 0 && !modules::is_readable(value, sizeof value)) {
      failed_ = true;
    }
    if (failed_) return 0;
    if ((encoding & encoding_indirect) != 0) {
      std::memcpy(&value, reinterpret_cast<void const*>(value), sizeof value);
    }
    return value;
  }

 private:
  std::uintptr_t raw(int format) noexcept {
    switch (format) {
      case encoding_absolute:
      case encoding_udata8:
      case encoding_sdata8:
        return fixed<std::uint64_t>();
      case encoding_uleb:
        return uleb();
      case encoding_udata2:
        return fixed<std::uint16_t>();
      case encoding_udata4:
        return fixed<std::uint32_t>();
      case encoding_sleb:
        return static_cast<std::uintptr_t>(sleb());
      case encoding_sdata2:
        return static_cast<std::uintptr_t>(std::int64_t{fixed<std::int16_t>()});
      case encoding_sdata4:
        return static_cast<std::uintptr_t>(std::int64_t{fixed<std::int32_t>()});
      default:
        failed_ = true;
        return 0;
    }
  }

  unsigned char const* at_;
  unsigned char const* end_;
  bool failed_ = false;
};

}  // namespace memprof::callstack
