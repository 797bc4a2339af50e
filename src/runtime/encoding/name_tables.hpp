// SPDX-License-Identifier: MIT
/// \file
/// Names of files and functions in short: a name is its place in a list of those used last.
///
///     list       most recent first, at most 31 names; a name that is used goes to the front
///     files      one list; each of its names has a list of the functions in that file
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "memprof/detail/export.hpp"

#include "encoding/format.hpp"

namespace memprof::encoding {

/// The order of at most 31 slots by their last use.
class recency_list {
 public:
  [[nodiscard]] unsigned size() const noexcept { return size_; }
  [[nodiscard]] unsigned slot(unsigned index) const noexcept { return order_[index]; }

  /// The slot at `index` goes to the front.
  MEMPROF_INTERNAL_API void touch(unsigned index) noexcept;
  /// A slot for a new name, at the front: an empty one, or that of the name used longest ago.
  MEMPROF_INTERNAL_API unsigned push() noexcept;
  void clear() noexcept { size_ = 0; }

 private:
  unsigned size_ = 0;
  std::array<std::uint8_t, name_table_size> order_{};
};

/// The names that a writer has announced to the reader. Keeps the views: they must live as long.
class name_tables {
 public:
  /// The codes of a file's name and of a function's name in it; `new_name` where the text must
  /// follow.
  struct codes {
    unsigned file;
    unsigned function;
  };
  codes encode(std::string_view file, std::string_view function) noexcept;

 private:
  struct name_list {
    recency_list order;
    std::array<std::string_view, name_table_size> names{};
  };
  static unsigned encode_in(name_list& list, std::string_view name) noexcept;

  name_list files_;
  std::array<name_list, name_table_size> functions_{};
};

}  // namespace memprof::encoding
