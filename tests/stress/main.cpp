// SPDX-License-Identifier: MIT
// Random programs of scopes, tokens, masks, budgets, fibers, threads, forks and modules, checked
// against a model (model.hpp).
//
// usage: stress [--seed N] [--count N | --seconds N] [--without NAME]... [--keep-going]
//        stress --run FILE       runs a program that was printed, here, so that a debugger sees it
//        stress --print N        prints the program of a seed
//
// Each program runs in a child. One that fails is made smaller while it fails, and printed.
// Exit status: 0 if all held, 1 if one did not, 2 for bad arguments.
#include <algorithm>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <iostream>
#include <stdexcept>
#include <string>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "interpret.hpp"
#include "program.hpp"
#include "shrink.hpp"

namespace {

using std::chrono::steady_clock;

/// Runs it in a child. Returns what was wrong, as the child said it; empty: nothing.
std::string outcome(stress::program const& p) {
  const int said = memfd_create("stress", MFD_CLOEXEC);
  const pid_t child = fork();
  if (child < 0 || said < 0) throw std::runtime_error("no child could be made");
  if (child == 0) {
    dup2(said, STDERR_FILENO);
    stress::limit_time();
    stress::interpret(p);
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  char text[500];
  const auto length = pread(said, text, sizeof text, 0);
  close(said);
  if (status == 0) return "";
  std::string what(text, length > 0 ? static_cast<std::size_t>(length) : 0);
  if (WIFSIGNALED(status)) {
    what += WTERMSIG(status) == SIGALRM ? "it hangs" : strsignal(WTERMSIG(status));
  }
  return what.empty() ? "status " + std::to_string(WEXITSTATUS(status)) : what;
}

/// Whether it fails in the same way. Threads race: what failed once may pass ten times.
bool fails_again(stress::program const& p, std::string const& what, int tries) {
  constexpr std::size_t compared = 16;  // letters: behind them are amounts
  for (int i = 0; i < tries; ++i) {
    if (const std::string now = outcome(p);
        !now.empty() && now.compare(0, compared, what, 0, compared) == 0)
      return true;
  }
  return false;
}

void report(stress::program const& p, std::uint64_t seed, std::string const& what) {
  std::cout << "seed " << seed << ": " << what << std::endl;
  int again = 0;
  for (int i = 0; i < 10; ++i) again += fails_again(p, what, 1) ? 1 : 0;
  const int tries = again == 10 ? 1 : again > 2 ? 10 : 50;
  const auto end = steady_clock::now() + std::chrono::seconds{60};
  const stress::program small = stress::shrink(p, [&](stress::program const& q) {
    return steady_clock::now() < end && fails_again(q, what, tries);
  });
  std::cout << "It failed " << again << " times of 10 more. Made smaller:\n" << small << std::flush;
}

std::uint64_t number(char const* text) {
  std::uint64_t n = 0;
  char const* const end = text + std::strlen(text);
  const auto [stop, error] = std::from_chars(text, end, n);
  if (error != std::errc{} || stop != end)
    throw std::invalid_argument(std::string("not a number: ") + text);
  return n;
}

struct options {
  std::uint64_t seed = 1;
  std::uint64_t count = 100;
  std::uint64_t seconds = 0;
  std::vector<std::string_view> without = {};
  bool keep_going = false;
  char const* file = nullptr;
  bool print = false;
};

options parse(int argc, char** argv) {
  options o;
  for (int i = 1; i < argc; ++i) {
    const std::string_view name = argv[i];
    if (name == "--keep-going") {
      o.keep_going = true;
      continue;
    }
    char const* const value =
        ++i < argc ? argv[i] : throw std::invalid_argument(std::string(name) + " wants a value");
    if (name == "--seed" || name == "--print") {
      o.seed = number(value);
      o.print = name == "--print";
    } else if (name == "--count") {
      o.count = number(value);
    } else if (name == "--seconds") {
      o.seconds = number(value);
    } else if (name == "--without") {
      o.without.emplace_back(value);
    } else if (name == "--run") {
      o.file = value;
    } else {
      throw std::invalid_argument("unknown option " + std::string(name));
    }
  }
  return o;
}

int run(options const& o) {
  if (o.file != nullptr) {
    std::ifstream in(o.file);
    if (!in) throw std::invalid_argument(std::string("cannot read ") + o.file);
    stress::interpret(stress::read(in));
    return 0;
  }
  if (o.print) {
    std::cout << stress::generate(o.seed, o.without);
    return 0;
  }
  if (std::getenv("MEMPROF_TEST_MODULES") == nullptr &&
      std::find(o.without.begin(), o.without.end(), "module") == o.without.end()) {
    throw std::invalid_argument("MEMPROF_TEST_MODULES is not set: see scripts/stress.sh");
  }
  const auto end = steady_clock::now() + std::chrono::seconds{o.seconds};
  std::uint64_t ran = 0;
  std::uint64_t failed = 0;
  for (std::uint64_t seed = o.seed; o.seconds > 0 ? steady_clock::now() < end : ran < o.count;
       ++seed, ++ran) {
    const stress::program p = stress::generate(seed, o.without);
    const std::string what = outcome(p);
    if (what.empty()) continue;
    ++failed;
    report(p, seed, what);
    if (!o.keep_going) break;
  }
  std::cout << ran << " programs from seed " << o.seed << ", " << failed << " failed\n";
  return failed == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(parse(argc, argv));
  } catch (std::exception const& e) {
    std::cerr << "stress: " << e.what() << '\n';
    return 2;
  }
}
