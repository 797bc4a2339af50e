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

/// What `main` does when a subcommand was parsed. It prints its result to std::cout when all of it
/// is there (half a result is none), messages to std::cerr.
///
/// returns     the exit status: 0, or what the command defines.
/// throws      usage_error, std::invalid_argument or std::domain_error: exit status 2; any other
///             std::exception: 1. The message is printed after "memprof: ".
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

/// All of them, in the order of the help.
[[nodiscard]] std::span<command_entry const> all_commands();

}  // namespace memprof::tools
