// SPDX-License-Identifier: MIT
/// \file
/// One side of a process that has several copies of the library: the program or a plug-in. Each is
/// linked with side.cpp and scenarios.cpp, and so calls the copy that it is linked with.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "memprof/memprof.hpp"

namespace memprof::test {

using task = std::function<void()>;

struct side {
  /// Calls this side and another one in turns, and checks that they work as one.
  void (*test_with)(side const& other);

  bool (*is_active)();
  /// Runs the task under a limit; true if it was interrupted.
  bool (*limit_memory)(bytes limit, task const& t);
  bool (*limit_allocations)(bytes limit, task const& t);
  bool (*limit_with_token)(token const& stop, task const& t);
  bool (*run)(budget& account, task const& t);
  void (*masked)(task const& t);
  bool (*is_masked)();
  bool (*is_interrupted)();
  void (*cancellation_point)();
  /// Allocates and keeps 1 KiB at a time, up to so many bytes.
  void (*consume)(std::size_t most);
  /// Runs the task in catch_all; true if an exception was caught.
  bool (*catches)(task const& t);
  /// Runs the task with the value locked.
  void (*with_lock)(poisonable<int>& shared, task const& t);
  token (*child_of)(token const& t);
  std::size_t (*live_memory)();
  /// How many samples a profile of this side sees while the task runs.
  std::size_t (*profiled)(task const& t);
  /// Why limits are refused: what not_active says; empty if they are not.
  std::string (*refusal)();
};

void test_with(side const& other);

}  // namespace memprof::test

/// What a plug-in exports; of the program.
extern "C" [[gnu::visibility("default")]] memprof::test::side const* memprof_test_side();
