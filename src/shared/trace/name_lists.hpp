// SPDX-License-Identifier: MIT
/// \file
/// The reader's side of encoding/name_tables.hpp: from positions in the lists back to names.
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "encoding/encoding.hpp"

namespace memprof::inline v0::trace {

class name_lists {
 public:
  /// The file's name at `index`, which moves to the front; nullopt if there is no such position.
  std::optional<std::string_view> file(unsigned index) noexcept { return take(files_, index); }
  /// A name that was written out.
  ///
  /// The list of functions is not emptied: memtrace of version 1 handed that of the name which fell
  /// off the list on to the new one. Later versions never use what they did not write since.
  void new_file(std::string_view name) noexcept { add(files_, name); }

  /// The same for the functions in the file named last.
  std::optional<std::string_view> function(unsigned index) noexcept {
    return take(functions_[files_.order.slot(0)], index);
  }
  void new_function(std::string_view name) noexcept { add(functions_[files_.order.slot(0)], name); }

 private:
  struct name_list {
    encoding::recency_list order;
    std::array<std::string_view, encoding::name_table_size> names{};
  };

  static std::optional<std::string_view> take(name_list& list, unsigned index) noexcept {
    if (index >= list.order.size()) return std::nullopt;
    list.order.touch(index);
    return list.names[list.order.slot(0)];
  }
  static void add(name_list& list, std::string_view name) noexcept {
    list.names[list.order.push()] = name;
  }

  name_list files_;
  std::array<name_list, encoding::name_table_size> functions_{};
};

}  // namespace memprof::inline v0::trace
