// SPDX-License-Identifier: MIT
/// \file
/// memprof-example-fair_scheduler [--quantum WORDS] [--rounds N]
///
/// Three computations with GiNaC, which knows nothing of scheduling, share one thread fairly: one
/// large expansion, many small ones, and powers of a series. Each is a memprof::task that is
/// stopped in the middle of whatever GiNaC does, when it has allocated its quantum. The shares are
/// printed, then the jobs are run to their ends and their results compared with what is known.
///
/// Exit status: 0 if the shares differ by no more than the scheduler promises and all results are
/// right, 1 if not, 2 for wrong usage.
#include <algorithm>
#include <cstdlib>
#include <exception>
#include <ginac/ginac.h>
#include <iomanip>
#include <iostream>
#include <string_view>

#include "scheduler.hpp"

using namespace memprof::literals;

namespace example::fair_scheduler {
namespace {

struct options {
  memprof::words quantum = 20_kw;
  std::int64_t rounds = 50;
};

std::int64_t parse_count(char const* text) {
  char* end = nullptr;
  long const number = std::strtol(text, &end, 10);
  if (end == text || *end != '\0' || number < 1 || number > 1'000'000'000) {
    throw std::invalid_argument("'" + std::string(text) + "' is no number from 1 to 10^9");
  }
  return number;
}

options parse_options(int argc, char** argv) {
  options o;
  for (int i = 1; i < argc; ++i) {
    std::string_view const name = argv[i];
    if (++i == argc) throw std::invalid_argument("'" + std::string(name) + "' needs a value");
    if (name == "--quantum") {
      o.quantum = memprof::words{parse_count(argv[i])};
    } else if (name == "--rounds") {
      o.rounds = parse_count(argv[i]);
    } else {
      throw std::invalid_argument("unknown option '" + std::string(name) + "'");
    }
  }
  return o;
}

/// C(53, 3) = 23 426 terms: one call of GiNaC.
std::uint64_t one_large_expansion() {
  GiNaC::symbol const a("a");
  GiNaC::symbol const b("b");
  GiNaC::symbol const c("c");
  GiNaC::symbol const d("d");
  return GiNaC::pow(a + b + c + d, 50).expand().nops();
}

/// (x + y)^n has n + 1 terms; 4000 of 1 <= n <= 40 have 86 000 together.
std::uint64_t many_small_expansions() {
  GiNaC::symbol const x("x");
  GiNaC::symbol const y("y");
  std::uint64_t terms = 0;
  for (int i = 0; i < 4000; ++i) terms += GiNaC::pow(x + y, 1 + i % 40).expand().nops();
  return terms;
}

/// The coefficient of x^20 in (1 + x + ... + x^100)^12 is C(31, 11) = 84 672 315.
std::uint64_t powers_of_a_series() {
  GiNaC::symbol const x("x");
  GiNaC::ex series = 1;
  for (int i = 1; i <= 100; ++i) series += GiNaC::pow(x, i);
  GiNaC::ex product = 1;
  for (int i = 0; i < 12; ++i) product = (product * series).expand();
  return static_cast<std::uint64_t>(GiNaC::ex_to<GiNaC::numeric>(product.coeff(x, 20)).to_long());
}

/// Whether every job has had its quanta, and no more beyond them than one request.
bool print_shares(std::vector<job> const& jobs, memprof::words quantum, std::int64_t rounds) {
  memprof::words total{};
  for (job const& j : jobs) total += memprof::floor_to_words(j.task.allocated());
  std::cout << "after " << rounds << " rounds of " << quantum.count() << " words each:\n\n"
            << std::left << std::setw(24) << "job" << std::right << std::setw(8) << "turns"
            << std::setw(12) << "words" << std::setw(10) << "share" << std::setw(16)
            << "beyond quanta" << std::setw(18) << "largest request"
            << "\n";
  bool fair = true;
  for (job const& j : jobs) {
    auto const used = memprof::floor_to_words(j.task.allocated());
    auto const beyond = used - quantum * rounds;
    auto const percent =
        100.0 * static_cast<double>(used.count()) / static_cast<double>(total.count());
    std::cout << std::left << std::setw(24) << j.name << std::right << std::setw(8) << j.turns
              << std::setw(12) << used.count() << std::setw(8) << std::fixed << std::setprecision(2)
              << percent << " %" << std::setw(16) << beyond.count() << std::setw(18)
              << j.largest_request.count() << "\n";
    fair &= beyond >= 0_w && beyond <= j.largest_request;
  }
  std::cout << "\n" << (fair ? "fair" : "NOT FAIR") << "\n\n";
  return fair;
}

bool finish(job& j, std::uint64_t expected) {
  while (!j.task.done()) j.task.resume();
  auto const result = j.task.result();
  bool const right = result && result->value == expected;
  std::cout << std::left << std::setw(24) << j.name
            << (result ? std::to_string(result->value) : result.error().message())
            << (right ? ", right" : ", WRONG") << "\n";
  return right;
}

int run(options const& o) {
  // GiNaC recurses over its trees: more stack than the default.
  memprof::task_options const large_stack{.stack_size = 1_MiB};
  std::vector<job> jobs;
  jobs.push_back({"one large expansion", {memprof::limits{}, large_stack, one_large_expansion}});
  jobs.push_back(
      {"many small expansions", {memprof::limits{}, large_stack, many_small_expansions}});
  jobs.push_back({"powers of a series", {memprof::limits{}, large_stack, powers_of_a_series}});

  std::int64_t const rounds = share(jobs, o.quantum, o.rounds);
  bool good = rounds == o.rounds && print_shares(jobs, o.quantum, rounds);
  if (rounds < o.rounds) std::cout << "a job ended in round " << rounds + 1 << "\n\n";
  good &= finish(jobs[0], 23'426);
  good &= finish(jobs[1], 86'000);
  good &= finish(jobs[2], 84'672'315);
  return good ? 0 : 1;
}

}  // namespace
}  // namespace example::fair_scheduler

int main(int argc, char** argv) {
  example::fair_scheduler::options options;
  try {
    options = example::fair_scheduler::parse_options(argc, argv);
  } catch (std::invalid_argument const& error) {
    std::cerr << argv[0] << ": " << error.what() << "\nusage: " << argv[0]
              << " [--quantum WORDS] [--rounds N]\n";
    return 2;
  }
  try {
    return example::fair_scheduler::run(options);
  } catch (std::exception const& error) {
    std::cerr << argv[0] << ": " << error.what() << "\n";
    return 1;
  }
}
