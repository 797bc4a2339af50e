// SPDX-License-Identifier: MIT
/// \file
/// Functions by the symbols of the linker, for code without debug information.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "symbolize/elf_image.hpp"
#include "symbolize/range_map.hpp"

namespace memprof::symbolize {

/// Of several names of one function the one that people would choose: global before local, without
/// leading underscores, short.
class symbol_table {
 public:
  symbol_table() = default;
  explicit symbol_table(std::vector<elf_image::symbol> symbols);

  /// Empty: no symbol covers the address.
  [[nodiscard]] std::string_view find(std::uint64_t address) const noexcept {
    const std::optional<std::uint32_t> index = by_address_.find(address);
    return index ? names_[*index] : std::string_view{};
  }
  [[nodiscard]] bool empty() const noexcept { return names_.empty(); }

 private:
  std::vector<std::string_view> names_;
  range_map by_address_;
};

}  // namespace memprof::symbolize
