// SPDX-License-Identifier: MIT
/// \file
/// memprof-example-json DIR-OR-FILES... [--limit SIZE] [--threads N] [--rounds N]
///     [--victim largest|allocating]
///
/// Worker threads parse JSON documents with nlohmann-json under one limit on the memory of the
/// whole process. Among the documents are bombs: some bytes of text that take gigabytes once
/// parsed. They are interrupted, what they took is given back, the others get their right answers.
///
/// Exit status: 0 if every good document gave the expected summary and every bomb was interrupted,
/// 1 if not, 2 for wrong usage.
#include <charconv>
#include <iomanip>
#include <iostream>
#include <string_view>

#include <memprof/memprof.hpp>

#include "common/amount.hpp"
#include "workers.hpp"

using namespace memprof::literals;

namespace example::json {
namespace {

struct options {
  std::vector<std::filesystem::path> paths;
  memprof::bytes limit = 96_MiB;
  unsigned threads = 4;
  unsigned rounds = 10;
  memprof::victim victim = memprof::victim::largest;
};

unsigned parse_count(std::string_view option, std::string_view text) {
  unsigned count = 0;
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error != std::errc() || end != text.data() + text.size() || count == 0 || count > 1000) {
    throw std::invalid_argument(std::string(option) + " needs a number from 1 to 1000");
  }
  return count;
}

memprof::victim parse_victim(std::string_view text) {
  if (text == "largest") return memprof::victim::largest;
  if (text == "allocating") return memprof::victim::allocating;
  throw std::invalid_argument("--victim needs 'largest' or 'allocating'");
}

options parse_options(int argc, char** argv) {
  options result;
  for (int i = 1; i < argc; ++i) {
    std::string_view const argument = argv[i];
    auto const value = [&]() -> std::string_view {
      if (++i == argc) throw std::invalid_argument(std::string(argument) + " needs a value");
      return argv[i];
    };
    if (argument == "--limit") {
      result.limit = parse_amount(value());
    } else if (argument == "--threads") {
      result.threads = parse_count(argument, value());
    } else if (argument == "--rounds") {
      result.rounds = parse_count(argument, value());
    } else if (argument == "--victim") {
      result.victim = parse_victim(value());
    } else if (argument.starts_with('-')) {
      throw std::invalid_argument("unknown option '" + std::string(argument) + "'");
    } else {
      result.paths.emplace_back(argument);
    }
  }
  if (result.paths.empty()) throw std::invalid_argument("no directory or file given");
  return result;
}

/// What became of one document in all rounds.
struct row {
  int right = 0;        ///< gave the expected summary
  int second = 0;       ///< of them, only when tried again alone
  int interrupted = 0;  ///< also when tried alone
  int wrong = 0;
  std::string remark;

  [[nodiscard]] bool as_expected(document const& d, int rounds) const {
    return (d.bomb ? interrupted : right) == rounds;
  }
};

row tally(document const& d, std::vector<job> const& jobs) {
  row r;
  for (job const& j : jobs) {
    if (j.source != &d) continue;
    attempt const& last = j.last();
    if (last.hit) {
      ++r.interrupted;
      r.remark = "over the " + std::string(to_string(last.hit->kind())) + " limit of " +
                 format_amount(last.hit->limit()) + ": " + format_amount(last.hit->measured());
    } else if (d.expected && last.found == d.expected) {
      ++r.right;
      if (j.alone) ++r.second;
    } else {
      ++r.wrong;
      r.remark = last.found ? "WRONG SUMMARY" : last.failure;
    }
  }
  if (r.right > 0 && r.remark.empty()) r.remark = "checksum " + d.expected->checksum;
  return r;
}

template <class... Columns>
void print_columns(std::string_view document, Columns const&... columns) {
  std::cout << std::left << std::setw(26) << document << std::right;
  ((std::cout << std::setw(13) << columns), ...);
}

int run_all(options const& o) {
  auto const documents = load_documents(o.paths);
  std::vector<job> jobs;
  for (unsigned round = 0; round < o.rounds; ++round) {
    for (document const& d : documents) jobs.push_back({&d});
  }

  memprof::set_global_memory_limit(o.limit);
  memprof::set_global_memory_victim(o.victim);
  run_jobs(jobs, o.threads);

  int failures = 0;
  print_columns("document", "bytes", "values", "right", "second try", "interrupted");
  std::cout << "  remark\n";
  for (document const& d : documents) {
    row const r = tally(d, jobs);
    print_columns(d.name, d.text.size(), d.expected ? d.expected->values : 0, r.right, r.second,
                  r.interrupted);
    std::cout << "  " << r.remark << "\n";
    if (!r.as_expected(d, static_cast<int>(o.rounds))) ++failures;
  }
  std::cout << "\n"
            << jobs.size() << " parses of " << documents.size() << " documents on " << o.threads
            << " threads, " << failures << " documents not as expected; in use at the end: "
            << format_amount(memprof::live_memory().value) << "\n";
  return failures == 0 ? 0 : 1;
}

}  // namespace
}  // namespace example::json

int main(int argc, char** argv) {
  example::json::options options;
  try {
    options = example::json::parse_options(argc, argv);
  } catch (std::invalid_argument const& error) {
    std::cerr << argv[0] << ": " << error.what() << "\nusage: " << argv[0]
              << " DIR-OR-FILES... [--limit SIZE] [--threads N] [--rounds N]\n"
              << "    [--victim largest|allocating]\n";
    return 2;
  }
  try {
    return example::json::run_all(options);
  } catch (std::exception const& error) {
    std::cerr << argv[0] << ": " << error.what() << "\n";
    return 1;
  }
}
