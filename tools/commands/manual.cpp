// SPDX-License-Identifier: MIT
/// \file
/// `memprof manual`: the manual pages, made of what the commands' help says.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <stdexcept>

#include "tools/command_text.hpp"
#include "tools/commands.hpp"
#include "tools/manual_page.hpp"
#include "tools/message.hpp"
#include "tools/usage_error.hpp"
#include "tools/whole_file.hpp"

namespace memprof::tools {
namespace {

struct manual_options {
  std::string command;
  std::string directory;
};

int run_manual(manual_options const& o) {
  const auto all = command_texts();
  if (!o.directory.empty()) {
    if (!o.command.empty()) throw usage_error("--directory: writes the pages of all commands");
    std::filesystem::create_directories(o.directory);
    for (command_text const& c : all) {
      const std::string path = fmt::format("{}/{}.1", o.directory, manual_page_name(c));
      write_whole_file(path, manual_page(c, all), 0666);  // for everybody
    }
    return 0;
  }
  const auto found = std::find_if(all.begin(), all.end(),
                                  [&](command_text const& c) { return c.name == o.command; });
  if (found == all.end()) {
    throw usage_error(fmt::format("'{}' is no command; memprof --help lists them", o.command));
  }
  print_lines(manual_page(*found, all));
  return 0;
}

}  // namespace

command add_manual_command(CLI::App& app) {
  const auto options = std::make_shared<manual_options>();
  CLI::App* const sub = app.add_subcommand("manual", "The manual page of a command");
  sub->footer(
      "Examples:\n  memprof manual top | man -l -\n  memprof manual --directory "
      "/usr/local/share/man/man1\n"
      "An installed memprof has these pages: man memprof-top.");
  sub->add_option("COMMAND", options->command, "Whose page to print; without it, memprof's own")
      ->type_name("");
  sub->add_option("--directory", options->directory, "Write the pages of all commands into it")
      ->type_name("DIR");
  return {sub, [options] { return run_manual(*options); }};
}

}  // namespace memprof::tools
