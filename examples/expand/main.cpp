// SPDX-License-Identifier: MIT
/// \file
/// memprof-example-expand FILE [--limit SIZE]
///
/// Expands each expression of FILE with GiNaC under an allocation limit of its own. A polynomial of
/// one line may expand to millions of terms, and nothing in its text says so: such a one is
/// interrupted inside GiNaC, its half-made terms are given back by unwinding, and the next
/// expression finds GiNaC as it was.
///
/// Exit status: 0 if each well-behaved expression gave the right answer and each that is marked as
/// a runaway was interrupted, 1 if not, 2 for wrong usage.
#include <chrono>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <string>
#include <string_view>

#include <memprof/memprof.hpp>

#include "common/amount.hpp"
#include "expansion.hpp"

using namespace memprof::literals;

namespace example::expand {
namespace {

struct options {
  std::string file;
  memprof::bytes limit = 200_MiB;
};

options parse_options(int argc, char** argv) {
  options result;
  for (int i = 1; i < argc; ++i) {
    std::string_view const argument = argv[i];
    if (argument == "--limit") {
      if (++i == argc) throw std::invalid_argument("--limit needs a size, such as 200MiB");
      result.limit = parse_amount(argv[i]);
    } else if (argument.starts_with('-') || !result.file.empty()) {
      throw std::invalid_argument("unexpected argument '" + std::string(argument) + "'");
    } else {
      result.file = argument;
    }
  }
  if (result.file.empty()) throw std::invalid_argument("no file of expressions given");
  return result;
}

std::string shortened(std::string text, std::size_t width) {
  if (text.size() <= width) return text;
  return text.substr(0, width - 3) + "...";
}

/// One row of the table: what happened to an expression.
struct row {
  bool as_expected;
  std::string outcome;
  memprof::bytes allocated;
  std::string checks;
};

/// The whole use of the library: a scope around the work, and two ways out of it. What GiNaC throws
/// of its own accord comes out as it is.
row run(entry const& e, memprof::bytes limit) try {
  auto const result = memprof::limit_allocations(limit, [&] { return expand(e.expression); });
  if (!result) {
    memprof::interrupted const& error = result.error();
    return {e.runaway(),
            "interrupted by the " + std::string(to_string(error.kind())) + " limit of " +
                format_amount(error.limit()),
            error.measured(), e.runaway() ? "runaway, as marked" : "SHOULD HAVE FINISHED"};
  }
  // The answer outlives the scope; checking it is our own work, and not limited.
  auto const& [expanded, allocated] = *result;
  if (e.runaway()) return {false, "ok", allocated, "SHOULD HAVE BEEN INTERRUPTED"};
  std::string const wrong = failed_checks(expanded, e.checks);
  return {wrong.empty(), "ok", allocated, wrong.empty() ? "right" : "WRONG: " + wrong};
} catch (std::exception const& error) {
  return {false, "failed", {}, error.what()};
}

void print_columns(std::string_view expression, std::string_view outcome,
                   std::string_view allocated, std::string_view time, std::string_view checks) {
  std::cout << std::left << std::setw(40) << expression << std::setw(52) << outcome << std::right
            << std::setw(10) << allocated << std::setw(9) << time << "  " << checks << std::endl;
}

int run_all(options const& o) {
  std::ifstream file(o.file);
  if (!file) throw std::runtime_error("cannot read " + o.file);
  auto const entries = read_entries(file, o.file);

  int good = 0;
  int runaways = 0;
  int failures = 0;
  print_columns("expression", "outcome", "allocated", "ms", "checks");
  for (entry const& e : entries) {
    auto const start = std::chrono::steady_clock::now();
    row const r = run(e, o.limit);
    auto const time = std::chrono::duration_cast<std::chrono::milliseconds>(
        std::chrono::steady_clock::now() - start);
    print_columns(shortened(e.expression, 38), r.outcome, format_amount(r.allocated),
                  std::to_string(time.count()), r.checks);
    ++(e.runaway() ? runaways : good);
    if (!r.as_expected) ++failures;
  }
  std::cout << "\n"
            << good << " well-behaved, " << runaways << " runaways, " << failures
            << " not as expected; in use at the end: "
            << format_amount(memprof::live_memory().value) << "\n";
  return failures == 0 ? 0 : 1;
}

}  // namespace
}  // namespace example::expand

int main(int argc, char** argv) {
  example::expand::options options;
  try {
    options = example::expand::parse_options(argc, argv);
  } catch (std::invalid_argument const& error) {
    std::cerr << argv[0] << ": " << error.what() << "\nusage: " << argv[0]
              << " FILE [--limit SIZE]\n";
    return 2;
  }
  try {
    return example::expand::run_all(options);
  } catch (std::exception const& error) {
    std::cerr << argv[0] << ": " << error.what() << "\n";
    return 1;
  }
}
