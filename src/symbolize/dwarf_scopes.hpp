// SPDX-License-Identifier: MIT
/// \file
/// The namespaces and classes around an entry, for those that have no name of the linker's.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "symbolize/dwarf_file.hpp"

namespace memprof::symbolize {

/// Of one unit, found in one walk.
class dwarf_scopes {
 public:
  dwarf_scopes(dwarf_file& file, dwarf_unit& u);

  /// "ns::(anonymous namespace)::box<int>::", or empty.
  [[nodiscard]] std::string around(std::uint64_t offset) const;

 private:
  struct scope {
    std::uint64_t begin, end;
    std::uint32_t outer;
    std::string_view name;
  };
  std::vector<scope> all_;  // by `begin`
};

}  // namespace memprof::symbolize
