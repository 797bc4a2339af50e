// SPDX-License-Identifier: MIT
/// \file
/// The command `memprof`. Exit status 0: done; 1: failed; 2: usage; others: defined by the command.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <exception>
#include <fmt/format.h>
#include <iostream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "memprof/version.hpp"

#include "tools/commands.hpp"
#include "tools/help_text.hpp"
#include "tools/message.hpp"
#include "tools/usage_error.hpp"

namespace {

constexpr int failure = 1;
constexpr int usage = 2;

int report(std::exception const& e, int status) {
  memprof::tools::message(e.what());
  return status;
}

/// Adds the subcommand that argv names, or all of them if it names none.
std::vector<memprof::tools::command> add_commands(CLI::App& app, std::string_view named) {
  std::vector<memprof::tools::command> commands;
  const auto table = memprof::tools::all_commands();
  const auto is_named = [&](auto const& entry) { return entry.name == named; };
  const bool known = std::any_of(table.begin(), table.end(), is_named);
  for (auto const& entry : table) {
    if (!known || is_named(entry)) commands.push_back(entry.add(app));
  }
  return commands;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"Where memory goes in traces, and what limits guarantee.", "memprof"};
  memprof::tools::use_help_text(app);
  app.footer(
      "Examples:\n  memprof top a.ctf\n  memprof top --help\n"
      "A trace (FILE) comes from `memprof record`, the library, or OCaml's memtrace.");
  app.set_help_flag("-h,--help", "This text");
  app.set_version_flag("-V,--version", "memprof " MEMPROF_VERSION_STRING
                                       "\ntrace format: versions 1 to 3 read, 2 and 3 written");
  app.require_subcommand(1);
  try {
    const auto commands = add_commands(app, argc > 1 ? argv[1] : "");
    if (argc <= 1) {
      std::cerr << app.help();
      return usage;
    }
    if (commands.size() > 1 && argv[1][0] != '-') {
      throw memprof::tools::usage_error(
          fmt::format("'{}' is no command; memprof --help lists them", argv[1]));
    }
    app.parse(argc, argv);
    int status = 0;
    for (memprof::tools::command const& c : commands) {
      if (c.app->parsed()) status = c.run();
    }
    std::cout.flush();
    if (!std::cout) throw std::runtime_error("the output could not be written");
    return status;
  } catch (CLI::ParseError const& e) {
    if (e.get_exit_code() == 0) return app.exit(e);  // --help
    return report(e, usage);
  } catch (memprof::tools::usage_error const& e) {
    return report(e, usage);
  } catch (std::invalid_argument const& e) {
    return report(e, usage);
  } catch (std::domain_error const& e) {
    return report(e, usage);
  } catch (std::exception const& e) {
    return report(e, failure);
  }
}
