// SPDX-License-Identifier: MIT
/// \file
/// Nasty situations: each is a function that prints what it saw, and what it saw must not depend on
/// whether a profiler was preloaded. `situations NAME` runs one; run.py compares the modes.
///
/// A situation prints nothing that differs from run to run (addresses, process ids, times, order of
/// threads).
#pragma once

#include <cstddef>
#include <cstdint>

namespace situations {

struct situation {
  situation(char const* family, char const* name, int (*run)());
  char const* family;
  char const* name;
  int (*run)();  ///< returns the exit status
  situation* next;
};

/// Prints a line to standard output by one write(2), without a buffer that a fork would copy.
[[gnu::format(printf, 1, 2)]] void say(char const* format, ...);

/// Prints `what` and ends the process with status 99 if it does not hold.
void check(bool holds, char const* what);

/// Allocates `n` blocks in all ways, fills them, frees them in another order, and ends with status
/// 98 if a byte has changed. Returns a sum of their contents, which depends on the arguments alone.
std::uint32_t work(std::uint32_t seed, int n);

/// The path of this program, and the name of a situation for exec: "/proc/self/exe" is not there in
/// a chroot.
char const* own_path();

/// Waits for a child; its exit status, or 1000 and the signal.
int wait_for(int pid);

/// A situation that is reached by exec only, not listed.
#define MEMPROF_SITUATION_IN(family, name)                                         \
  static int run_##name();                                                         \
  static const situations::situation situation_##name(family, #name, &run_##name); \
  static int run_##name()

}  // namespace situations
