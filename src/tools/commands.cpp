// SPDX-License-Identifier: MIT
#include "tools/commands.hpp"

#include "tools/bounds_command.hpp"

namespace memprof::tools {

std::span<add_command const> all_commands() {
  static constexpr add_command table[] = {
      &add_bounds_command,
  };
  return table;
}

}  // namespace memprof::tools
