// SPDX-License-Identifier: MIT
/// \file
/// The namespaces, classes and functions around an entry, for those without a name of the linker's.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "symbolize/dwarf_file.hpp"

namespace memprof::symbolize {

/// Of one unit, found in one walk.
class dwarf_scopes {
 public:
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  enum class kind : std::uint8_t { space, type, function };

  ///  - `begin`, `end`: in .debug_info: its entry, and what comes after its children.
  ///  - `outer`: the scope around it; none: the unit.
  ///  - `name`: empty: it has none; not known of functions.
  ///  - `line`, `column`: where it is declared; not known of functions.
  ///  - `call`: the entry of its operator(), of types without a name; 0: it has none.
  struct scope {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    std::uint64_t call = 0;
    std::uint32_t outer = none;
    std::uint32_t line = 0;
    std::uint32_t column = 0;
    kind is = kind::space;
    std::string_view name;

    /// A lambda's type: g++ gives it no name.
    [[nodiscard]] bool closure() const noexcept { return call != 0; }
  };

  dwarf_scopes(dwarf_file& file, dwarf_unit& u);

  /// The innermost scope around the entry; none: it has none but the unit.
  [[nodiscard]] std::uint32_t around(std::uint64_t offset) const noexcept;
  /// The scope that begins with this entry; none: it is not a scope.
  [[nodiscard]] std::uint32_t at(std::uint64_t offset) const noexcept;
  [[nodiscard]] scope const& operator[](std::uint32_t i) const noexcept { return all_[i]; }
  /// The closures that are directly in `outer`, which may be none, as they stand in the source.
  [[nodiscard]] std::vector<std::uint32_t> closures_in(std::uint32_t outer) const;
  /// Which of the operators() without any class around them the entry is, from 1; 0: none of them.
  /// Such are lambdas of units with line tables only (g++ -g1).
  [[nodiscard]] std::size_t classless_call(std::uint64_t offset) const noexcept;

 private:
  void read_function(byte_reader& r, dwarf_unit const& u, std::uint64_t offset,
                     std::span<dwarf_attribute const> attributes, std::uint32_t inside);

  dwarf_file* file_;
  std::vector<scope> all_;  // by `begin`
  std::vector<std::uint64_t> classless_calls_;
};

}  // namespace memprof::symbolize
