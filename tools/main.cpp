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

/// Insertions, deletions, replacements and exchanges of neighbours from one word to the other.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t k = 0; k <= b.size(); ++k) {
      if (i == 0 || k == 0) {
        d[i][k] = i + k;
        continue;
      }
      d[i][k] = std::min(
          {d[i - 1][k] + 1, d[i][k - 1] + 1, d[i - 1][k - 1] + (a[i - 1] == b[k - 1] ? 0 : 1)});
      if (i > 1 && k > 1 && a[i - 1] == b[k - 2] && a[i - 2] == b[k - 1]) {
        d[i][k] = std::min(d[i][k], d[i - 2][k - 2] + 1);
      }
    }
  }
  return d[a.size()][b.size()];
}

/// " (did you mean top?)", if a command is near enough.
std::string suggestion(std::string_view word) {
  std::string_view nearest;
  std::size_t least = 3;  // more is another word
  for (auto const& entry : memprof::tools::all_commands()) {
    const std::size_t d = distance(word.substr(0, 32), entry.name);
    if (d < least && d < entry.name.size() - 1) {
      least = d;
      nearest = entry.name;
    }
  }
  return nearest.empty() ? "" : fmt::format(" (did you mean {}?)", nearest);
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

int run(int argc, char const* const* argv) {
  CLI::App app;
  memprof::tools::describe_command_line(app);
  app.require_subcommand(1);
  try {
    const auto commands = add_commands(app, argc > 1 ? argv[1] : "");
    if (argc <= 1) {
      std::cerr << app.help();
      return usage;
    }
    if (commands.size() > 1 && argv[1][0] != '-') {
      throw memprof::tools::usage_error(fmt::format(
          "'{}' is no command{}; memprof --help lists them", argv[1], suggestion(argv[1])));
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

}  // namespace

int main(int argc, char** argv) {
  // "memprof help top" is "memprof top --help".
  std::vector<char const*> arguments(argv, argv + argc);
  if (argc > 1 && arguments[1] == std::string_view{"help"}) {
    arguments.erase(arguments.begin() + 1);
    arguments.resize(std::min<std::size_t>(arguments.size(), 2));
    arguments.push_back("--help");
  }
  return run(static_cast<int>(arguments.size()), arguments.data());
}
