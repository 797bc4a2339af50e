// SPDX-License-Identifier: MIT
/// \file
/// The subcommands of `memprof`, a table.
#pragma once

#include <functional>
#include <span>
#include <string_view>

namespace CLI {
class App;
}

namespace memprof::tools {

/// What `main` runs when a subcommand was parsed. It prints its result to std::cout when all of it
/// is there (never half a result), messages to std::cerr.
///
/// \return the exit status: 0, or what the command defines.
/// \throws std::exception whose message is printed after "memprof: "; the exit status is 2 for
///   usage_error, std::invalid_argument and std::domain_error, else 1.
using action = std::function<int()>;

/// Adds one subcommand with its options to `app`, and says what to do when it was given. Options
/// are kept in what the action captures (a shared_ptr, say).
struct command {
  CLI::App* app;
  action run;
};
using add_command = command (*)(CLI::App& app);

/// A row of the table. A command line builds only the subcommand that it names: the options of all
/// of them take longer to set up than a small trace to read.
struct command_entry {
  std::string_view name;
  add_command add;
};

// One file each: tools/commands/<name>.cpp.
/// Exit status: 1 if no function matches.
command add_annotate_command(CLI::App& app);
command add_anonymize_command(CLI::App& app);
command add_bounds_command(CLI::App& app);
/// Exit status: 3 if a limit is exceeded or a function has grown.
command add_check_command(CLI::App& app);
command add_completion_command(CLI::App& app);
command add_convert_command(CLI::App& app);
command add_diff_command(CLI::App& app);
command add_dump_command(CLI::App& app);
command add_flamegraph_command(CLI::App& app);
command add_identify_command(CLI::App& app);
command add_manual_command(CLI::App& app);
/// Exit status: the program's; 128 + n if signal n ended it; 127 if it was not found, 126 if it
/// cannot be run or not be traced; 1 if there is no trace in the end.
command add_record_command(CLI::App& app);
command add_repair_command(CLI::App& app);
/// Exit status: 124 if the limit ended the program; else as `record`, but without the 1.
command add_run_command(CLI::App& app);
command add_serve_command(CLI::App& app);
command add_stats_command(CLI::App& app);
command add_subsample_command(CLI::App& app);
command add_symbolize_command(CLI::App& app);
command add_top_command(CLI::App& app);
command add_temporary_command(CLI::App& app);
command add_tree_command(CLI::App& app);

/// All of them, in the order of the help.
[[nodiscard]] std::span<command_entry const> all_commands();

}  // namespace memprof::tools
