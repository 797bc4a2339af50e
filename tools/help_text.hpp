// SPDX-License-Identifier: MIT
/// \file
/// How the help looks: the examples (an App's footer) come first.
#pragma once

namespace CLI {
class App;
}

namespace memprof::tools {

/// For `app` and the subcommands added afterwards. A subcommand's footer holds its examples and
/// notes:
///
///     sub->footer("Examples:\n  memprof top a.ctf\n  memprof top --sort in-use a.ctf");
void use_help_text(CLI::App& app);

/// Name, description, examples and options of `memprof` itself, to which subcommands are added.
void describe_command_line(CLI::App& app);

}  // namespace memprof::tools
