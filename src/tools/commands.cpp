// SPDX-License-Identifier: MIT
#include "tools/commands.hpp"

#include "tools/anonymize_command.hpp"
#include "tools/bounds_command.hpp"
#include "tools/convert_command.hpp"
#include "tools/repair_command.hpp"
#include "tools/stats_command.hpp"
#include "tools/subsample_command.hpp"

namespace memprof::tools {

std::span<command_entry const> all_commands() {
  static constexpr command_entry table[] = {
      {"stats", &add_stats_command},         {"convert", &add_convert_command},
      {"subsample", &add_subsample_command}, {"anonymize", &add_anonymize_command},
      {"repair", &add_repair_command},       {"bounds", &add_bounds_command},
  };
  return table;
}

}  // namespace memprof::tools
