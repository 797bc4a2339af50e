// SPDX-License-Identifier: MIT
/// \file
/// The command `memprof`. Exit status 0: done; 1: failed; 2: usage; others: what the command says.
#include <CLI/CLI.hpp>
#include <exception>
#include <iostream>
#include <stdexcept>
#include <vector>

#include "tools/commands.hpp"

namespace {

constexpr int failure = 1;
constexpr int usage = 2;

int report(std::exception const& e, int status) {
  std::cerr << "memprof: " << e.what() << '\n';
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"Probabilistic memory and allocation limits, and where memory goes: tools",
               "memprof"};
  app.require_subcommand(1);
  std::vector<memprof::tools::command> commands;
  for (const auto add : memprof::tools::all_commands()) commands.push_back(add(app));
  try {
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
  } catch (std::invalid_argument const& e) {
    return report(e, usage);
  } catch (std::domain_error const& e) {
    return report(e, usage);
  } catch (std::exception const& e) {
    return report(e, failure);
  }
}
