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

#include "tools/child_process.hpp"
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

/// An error about a first word that is neither a command nor an option of `app`.
usage_error no_first_word(CLI::App const& app, std::string const& word) {
  const bool is_option = word.starts_with('-');
  std::vector<std::string> known;
  if (is_option) {
    for (CLI::Option const* option : app.get_options()) known.push_back(option->get_name());
  } else {
    known.emplace_back("help");
    for (auto const& entry : all_commands()) known.emplace_back(entry.name);
  }
  return usage_error(fmt::format("'{}' is no {}{}; memprof --help lists them", word,
                                 is_option ? "option before a command" : "command",
                                 suggestion(word, known)));
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

/// Adds the subcommand that the first word names, or all of them, for the help, if there is no word
/// or it is an option.
///
/// \throws usage_error if there is no such command or option
std::vector<command> add_commands(CLI::App& app, std::vector<std::string> const& words) {
  const bool all = words.empty() || app.get_option_no_throw(words.front()) != nullptr;
  std::vector<command> commands;
  for (auto const& entry : all_commands()) {
    if (all || entry.name == words.front()) commands.push_back(entry.add(app));
  }
  if (commands.empty()) throw no_first_word(app, words.front());
  return commands;
}

/// Runs the command that the first word names, with the others.
int run_words(std::vector<std::string> words) {
  CLI::App app;
  describe_command_line(app);
  app.require_subcommand(1);
  std::vector<command> commands;
  try {
    commands = add_commands(app, words);
    if (words.empty()) {
      say_lines(app.help());
      return wrong_usage;
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
  survive_file_size_limit();
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
