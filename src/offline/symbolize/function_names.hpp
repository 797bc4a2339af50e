// SPDX-License-Identifier: MIT
/// \file
/// The names of functions that debug information describes.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "symbolize/dwarf_file.hpp"
#include "symbolize/dwarf_scopes.hpp"

namespace memprof::symbolize {

///  - `linker`: mangled, or empty.
///  - `plain`: as in the source. C++ names without a linker's name have what encloses them.
///  - `named_at`: the entry that has the plain name.
struct function_name {
  std::string_view linker;
  std::string_view plain;
  dwarf_entry named_at;
};

/// Names by entry, kept. Compilers give no linker's name to what no other unit can call: nameless
/// namespaces, local classes, and lambdas of functions that are not inline. g++ gives such a lambda
/// no name at all; it is called here as the demangler would, "parse(int)::{lambda(char)#2}", with
/// the number from a symbol, or else the next free one in source order. With g++ -g1,
/// which leaves out what the lambda is in, it is "{lambda#2 in parse.cpp}".
class function_names {
 public:
  /// An entry of a function with code of its own, and the linker's symbol for that.
  using symbol = std::pair<dwarf_entry, std::string_view>;
  /// Returns those of the functions in a unit; called once for each unit that has functions without
  /// linker's names.
  using symbols_of_unit = std::function<std::vector<symbol>(dwarf_unit const&)>;

  explicit function_names(symbols_of_unit symbols) : symbols_{std::move(symbols)} {}

  /// The views live as long as this.
  function_name const& of(dwarf_entry e);

 private:
  using key = std::pair<dwarf_file*, std::uint64_t>;
  struct unit_names {
    explicit unit_names(dwarf_scopes s) : scopes{std::move(s)} {}
    dwarf_scopes scopes;
    std::unordered_map<std::uint64_t, std::string_view> symbols;  // by the entry that has the name
    std::unordered_map<std::uint32_t, std::string> closures;      // by scope
    std::vector<std::uint32_t> numbered;                          // scopes that were gone through
  };
  unit_names* unit_of(dwarf_entry e);
  void read_symbols(unit_names& names, dwarf_file& file, dwarf_unit const& u);
  std::string enclosing(unit_names& names, dwarf_file& file, std::uint32_t scope);
  std::string scope_name(unit_names& names, dwarf_file& file, std::uint32_t scope);
  std::string const& closure_name(unit_names& names, dwarf_file& file, std::uint32_t scope);
  std::string class_name(dwarf_entry e);
  std::string qualified(unit_names& names, function_name const& name);

  symbols_of_unit symbols_;
  std::map<key, function_name> known_;
  std::map<key, std::string> texts_;
  std::map<std::pair<dwarf_file*, dwarf_unit const*>, std::unique_ptr<unit_names>> units_;
  int depth_ = 0;
};

}  // namespace memprof::symbolize
