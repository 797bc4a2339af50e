// SPDX-License-Identifier: MIT
/// \file
/// `memprof bounds`: what a limit guarantees, and which limit and rate to choose.
#pragma once

#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace memprof::tools {

/// The command line, as given.
struct bounds_options {
  std::optional<std::string> limit, amount, allow, stop_by, rate;
  std::vector<std::string> risks;
  bool memory = false;
  bool json = false;
};

/// Adds the subcommand to `app`; its options are written to `options` when `app` parses.
CLI::App* add_bounds_command(CLI::App& app, bounds_options& options);

/// Computes and prints. throws std::invalid_argument or std::domain_error for what makes no sense.
void run_bounds_command(bounds_options const& options, std::ostream& out);

}  // namespace memprof::tools
