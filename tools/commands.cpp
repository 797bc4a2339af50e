// SPDX-License-Identifier: MIT
#include "tools/commands.hpp"

namespace memprof::tools {

std::span<command_entry const> all_commands() {
  static constexpr command_entry table[] = {
      {"record", &add_record_command},       {"run", &add_run_command},
      {"identify", &add_identify_command},   {"top", &add_top_command},
      {"temporary", &add_temporary_command}, {"tree", &add_tree_command},
      {"annotate", &add_annotate_command},   {"flamegraph", &add_flamegraph_command},
      {"stats", &add_stats_command},         {"serve", &add_serve_command},
      {"diff", &add_diff_command},           {"check", &add_check_command},
      {"dump", &add_dump_command},           {"convert", &add_convert_command},
      {"symbolize", &add_symbolize_command}, {"subsample", &add_subsample_command},
      {"anonymize", &add_anonymize_command}, {"repair", &add_repair_command},
      {"bounds", &add_bounds_command},       {"completion", &add_completion_command},
      {"manual", &add_manual_command},
  };
  return table;
}

}  // namespace memprof::tools
