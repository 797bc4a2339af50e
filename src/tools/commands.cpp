// SPDX-License-Identifier: MIT
#include "tools/commands.hpp"

#include "tools/bounds_command.hpp"
#include "tools/diff_command.hpp"
#include "tools/dump_command.hpp"
#include "tools/flamegraph_command.hpp"
#include "tools/identify_command.hpp"
#include "tools/top_command.hpp"
#include "tools/tree_command.hpp"

namespace memprof::tools {

std::span<command_entry const> all_commands() {
  static constexpr command_entry table[] = {
      {"identify", &add_identify_command}, {"top", &add_top_command},
      {"tree", &add_tree_command},         {"flamegraph", &add_flamegraph_command},
      {"diff", &add_diff_command},         {"dump", &add_dump_command},
      {"bounds", &add_bounds_command},
  };
  return table;
}

}  // namespace memprof::tools
