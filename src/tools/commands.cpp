// SPDX-License-Identifier: MIT
#include "tools/commands.hpp"

#include "tools/bounds_command.hpp"
#include "tools/record_command.hpp"
#include "tools/symbolize_command.hpp"

namespace memprof::tools {

std::span<command_entry const> all_commands() {
  static constexpr command_entry table[] = {
      {"record", &add_record_command},
      {"symbolize", &add_symbolize_command},
      {"bounds", &add_bounds_command},
  };
  return table;
}

}  // namespace memprof::tools
