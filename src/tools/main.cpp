// SPDX-License-Identifier: MIT
/// \file
/// The command `memprof`. Exit status 0: done; 1: failed; 2: usage.
#include <CLI/CLI.hpp>
#include <exception>
#include <iostream>
#include <sstream>
#include <stdexcept>

#include "tools/bounds_command.hpp"

namespace {

constexpr int failure = 1;
constexpr int usage = 2;

int refuse(std::exception const& e) {
  std::cerr << "memprof: " << e.what() << '\n';
  return usage;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"Probabilistic memory and allocation limits: tools", "memprof"};
  app.require_subcommand(1);
  memprof::tools::bounds_options bounds;
  CLI::App* const bounds_command = memprof::tools::add_bounds_command(app, bounds);
  try {
    app.parse(argc, argv);
    std::ostringstream out;  // all or nothing
    if (bounds_command->parsed()) memprof::tools::run_bounds_command(bounds, out);
    std::cout << out.str() << std::flush;
    if (!std::cout) throw std::runtime_error("the output could not be written");
    return 0;
  } catch (CLI::ParseError const& e) {
    if (e.get_exit_code() == 0) return app.exit(e);  // --help
    return refuse(e);
  } catch (std::invalid_argument const& e) {
    return refuse(e);
  } catch (std::domain_error const& e) {
    return refuse(e);
  } catch (std::exception const& e) {
    std::cerr << "memprof: " << e.what() << '\n';
    return failure;
  }
}
