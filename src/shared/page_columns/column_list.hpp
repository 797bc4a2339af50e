// SPDX-License-Identifier: MIT
/// \file
/// Columns of numbers behind a head in JSON: docs/serve.md, "The index".
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace memprof::page_columns {

/// What the head says of a column. The type is "u8", "u16", "u32" or "f64".
struct column {
  char const* name;
  char const* type;
  std::size_t size;
};

/// Columns, each of the narrowest type that holds its values. First said, then written: what they
/// are stands before them.
class column_list {
 public:
  /// \param value of 0 to size - 1. Kept until the columns are written.
  template <class Value>
  void add(char const* name, std::size_t size, Value value) {
    double least = 0, most = 0;
    for (std::size_t i = 0; i < size; ++i) {
      const auto x = static_cast<double>(value(i));
      least = std::min(least, x);
      most = std::max(most, x);
    }
    if (least < 0 || most > std::numeric_limits<std::uint32_t>::max()) {
      put<double>(name, "f64", size, value);
    } else if (most > std::numeric_limits<std::uint16_t>::max()) {
      put<std::uint32_t>(name, "u32", size, value);
    } else if (most > std::numeric_limits<std::uint8_t>::max()) {
      put<std::uint16_t>(name, "u16", size, value);
    } else {
      put<std::uint8_t>(name, "u8", size, value);
    }
  }

  [[nodiscard]] std::vector<column> const& list() const noexcept { return list_; }
  /// As the head's "columns".
  [[nodiscard]] std::string list_as_json() const;

  /// The index: `head`, filled up with blanks, and the columns.
  [[nodiscard]] std::string behind(std::string_view head) const;

 private:
  static constexpr std::size_t alignment = 8;

  template <class T, class Value>
  void put(char const* name, char const* type, std::size_t size, Value value) {
    list_.push_back({name, type, size});
    bytes_ += size * sizeof(T) + alignment;
    writers_.push_back([size, value = std::move(value)](std::string& out) {
      const std::size_t begin = out.size();
      out.resize(begin + (size * sizeof(T) + alignment - 1) / alignment * alignment);
      for (std::size_t i = 0; i < size; ++i) {
        const auto x = static_cast<T>(value(i));
        std::memcpy(out.data() + begin + i * sizeof x, &x, sizeof x);
      }
    });
  }

  std::vector<column> list_;
  std::size_t bytes_ = 0;
  std::vector<std::function<void(std::string&)>> writers_;
};

/// Rounded down to what a double holds, so that no block seems larger than it is.
[[nodiscard]] double as_double(std::uint64_t n) noexcept;

}  // namespace memprof::page_columns
