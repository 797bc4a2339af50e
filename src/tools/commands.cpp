// SPDX-License-Identifier: MIT
#include "tools/commands.hpp"

#include "tools/bounds_command.hpp"

namespace memprof::tools {

std::span<command_entry const> all_commands() {
  static constexpr command_entry table[] = {
      {"bounds", &add_bounds_command},
  };
  return table;
}

}  // namespace memprof::tools
