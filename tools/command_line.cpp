// SPDX-License-Identifier: MIT
#include "tools/command_line.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <exception>
#include <fmt/format.h>
#include <iostream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/commands.hpp"
#include "tools/help_text.hpp"
#include "tools/message.hpp"
#include "tools/program_words.hpp"
#include "tools/suggestion.hpp"
#include "tools/usage_error.hpp"

namespace memprof::tools {
namespace {

constexpr int failure = 1;
constexpr int wrong_usage = 2;

int report_error(std::string_view what, int status) {
  message(what);
  return status;
}

/// What was meant by `word`, if it is near to a command.
std::string meant_command(std::string_view word) {
  std::vector<std::string> known{"help"};
  for (auto const& entry : all_commands()) known.emplace_back(entry.name);
  return suggestion(word, known);
}

/// What was meant by the first option that the commands parsed do not have.
std::string meant_option(std::vector<command> const& commands) {
  for (command const& c : commands) {
    std::vector<std::string> known;
    for (CLI::Option const* option : c.app->get_options()) {
      for (std::string const& name : option->get_lnames()) known.push_back("--" + name);
    }
    for (std::string const& word : c.app->remaining()) {
      if (word.starts_with("--")) {
        return suggestion(word.substr(0, word.find('=')), known);
      }
    }
  }
  return {};
}

/// Adds the subcommand that argv names, or all of them if it names none.
std::vector<command> add_commands(CLI::App& app, std::string_view named) {
  std::vector<command> commands;
  const auto table = all_commands();
  const auto is_named = [&](auto const& entry) { return entry.name == named; };
  const bool known = std::any_of(table.begin(), table.end(), is_named);
  for (auto const& entry : table) {
    if (!known || is_named(entry)) commands.push_back(entry.add(app));
  }
  return commands;
}

/// Runs the command that the first word names, with the others.
int run_words(std::vector<std::string> words) {
  CLI::App app;
  describe_command_line(app);
  app.require_subcommand(1);
  std::vector<command> commands;
  try {
    commands = add_commands(app, words.empty() ? "" : words.front());
    if (words.empty()) {
      std::cerr << app.help();
      return wrong_usage;
    }
    if (commands.size() > 1 && !words.front().starts_with('-')) {
      throw usage_error(fmt::format("'{}' is no command{}; memprof --help lists them",
                                    words.front(), meant_command(words.front())));
    }
    if (commands.size() == 1) words = with_separator(*commands.front().app, std::move(words));
    std::reverse(words.begin(), words.end());  // as CLI11 takes them
    app.parse(std::move(words));
    int status = 0;
    for (command const& c : commands) {
      if (c.app->parsed()) status = c.run();
    }
    std::cout.flush();
    if (!std::cout) throw std::runtime_error("the output could not be written");
    return status;
  } catch (CLI::ExtrasError const& e) {
    return report_error(e.what() + meant_option(commands), wrong_usage);
  } catch (CLI::ParseError const& e) {
    if (e.get_exit_code() == 0) return app.exit(e);  // --help
    return report_error(e.what(), wrong_usage);
  } catch (usage_error const& e) {
    return report_error(e.what(), wrong_usage);
  } catch (std::invalid_argument const& e) {
    return report_error(e.what(), wrong_usage);
  } catch (std::domain_error const& e) {
    return report_error(e.what(), wrong_usage);
  } catch (std::exception const& e) {
    return report_error(e.what(), failure);
  }
}

}  // namespace

int run_command_line(int argc, char const* const* argv) {
  std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
  // "memprof help top" is "memprof top --help".
  if (!words.empty() && words.front() == "help") {
    words.erase(words.begin());
    words.resize(std::min<std::size_t>(words.size(), 1));
    words.push_back("--help");
  }
  return run_words(std::move(words));
}

}  // namespace memprof::tools
