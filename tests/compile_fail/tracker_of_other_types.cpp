// SPDX-License-Identifier: MIT
// Expect g++: could not convert
// Expect clang: no viable conversion
#include <optional>

#include "memprof/sampling.hpp"

void tracker_of_other_types() {
  memprof::tracker<memprof::words, memprof::words> t{
#ifdef MEMPROF_VALID
      .alloc_minor = [](memprof::allocation const& a) { return std::optional{a.size}; }};
#else
      .alloc_minor = [](memprof::allocation const& a) { return a.callstack; }};
#endif
  static_cast<void>(t);
}
