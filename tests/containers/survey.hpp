// SPDX-License-Identifier: MIT
/// \file
/// Programs that interrupt what a library does at each of its allocations, each time in a process
/// of its own. A program of tests/containers makes one `survey`, gives it scenarios, and returns
/// what `run` returns:
///
///     program [PART]            a test: of the scenarios none may break or leak, or of those that
///                               have PART in "type, operation"
///     program --list            their numbers and names
///     program --run N [FILE]    one of them, as lines of "key<tab>value" for
///                               scripts/container_survey.py; as if what FILE
///                               (unsafe_functions.txt) names were not on the list
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "memprof/memprof.hpp"
#include "memprof/testing.hpp"

#include "check.hpp"

namespace containers {

using namespace memprof::literals;

/// Too long to lie within a string.
inline std::string text(int i) { return std::string(30, 'x') + std::to_string(i); }

/// As many elements as it says.
template <class Container>
bool counts_its_elements(Container& c) {
  return static_cast<std::size_t>(std::distance(c.begin(), c.end())) ==
         static_cast<std::size_t>(c.size());
}

/// For operations that leave nothing behind.
struct nothing {};

class survey {
 public:
  survey(int count, char** arguments) : arguments_(arguments, arguments + count) {}

  /// `act` works on a new State and is interrupted. Afterwards `whole` finds the state consistent,
  /// `act` works on it once more, uninterrupted, and it is destroyed; nothing is left behind.
  template <class State>
  void scenario(char const* type, char const* operation, std::function<void(State&)> act,
                std::function<bool(State&)> whole) {
    auto const check = [act, whole](std::unique_ptr<State>& s) {
      if (!whole(*s)) return false;
      act(*s);
      return whole(*s);
    };
    scenarios_.push_back({type, operation, [act, check](std::uint64_t point) {
                            return memprof::testing::replay_interrupt(
                                point, [] { return std::make_unique<State>(); },
                                [&act](std::unique_ptr<State>& s) { act(*s); }, check,
                                {.isolate = true});
                          }});
  }

  template <class Container>
  void container(char const* type, char const* operation, std::function<void(Container&)> act) {
    scenario<Container>(type, operation, act, counts_its_elements<Container>);
  }

  void function(char const* name, char const* operation, std::function<void()> act) {
    scenario<nothing>(
        name, operation, [act](nothing&) { act(); }, [](nothing&) { return true; });
  }

  /// Exit status: 0 if all is well.
  int run();

 private:
  struct one {
    char const* type;
    char const* operation;
    /// Point 0: without interrupt.
    std::function<memprof::testing::interrupt_report(std::uint64_t point)> replay;
  };
  struct tally;

  static tally count(one const& scenario);

  std::vector<std::string> arguments_;
  std::vector<one> scenarios_;
};

/// A task fills a container that outlives it until a limit is hit. The limit holds, and the
/// container can be read and destroyed.
template <class Container, class Add>
void fill_beyond_limit(Add add) {
  Container container;
  int tried = 0;
  auto const r = memprof::limit_memory(8_MiB, [&] {
    while (tried < 10'000'000) add(container, tried++);
  });
  CHECK(!r);
  CHECK(tried < 1'000'000);
  std::size_t letters = 0;
  for (auto const& element : container) letters += sizeof(element);
  CHECK(letters > 0);
}

}  // namespace containers
