// SPDX-License-Identifier: MIT
/// \file
/// Where code is, and in which function: each address is looked up in files once.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "modules/modules.hpp"

namespace memprof::endpoints {

/// \note Threads: one at a time.
class code_names {
 public:
  /// As modules::find_code_places with names. What was looked up is kept, for 100 000 addresses at
  /// most, and used as long as the module at the address has the same file and build id.
  modules::code_places find(std::vector<std::uintptr_t> const& addresses);

  [[nodiscard]] std::size_t size() const noexcept { return known_.size(); }

 private:
  struct known_name {
    modules::code_segment segment;
    std::string function;
  };
  std::unordered_map<std::uintptr_t, known_name> known_;
};

}  // namespace memprof::endpoints
