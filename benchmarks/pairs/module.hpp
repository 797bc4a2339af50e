// SPDX-License-Identifier: MIT
/// \file
/// What the program and its modules know of each other. A module is a variant of malloc and free,
/// loaded at run time, each copy with a state of its own; no symbol of it is seen by anyone else.
#pragma once

#include <cstddef>
#include <cstdint>

namespace pairs {

/// All variants are called through such a table, the bare allocator, too.
struct allocator_functions {
  void* (*malloc)(std::size_t);
  void (*free)(void*);
  void* (*operator_new)(std::size_t);
  void (*operator_delete)(void*, std::size_t);
};

/// What is done with the samples.
///
/// none        counted and tracked, as for limits; no stack is taken.
/// count       `memprof::start`: a tracker that is shown the stack and keeps a number.
/// keep        the same, keeping a copy of the stack for each live sample.
/// trace       `memprof::start_tracing`.
enum class consumer : std::uint8_t { none, count, keep, trace };

/// How the library in a module is to run.
///
/// rate            samples per word; 0: off.
/// limits          each turn runs in an allocation-limit scope, under a global memory limit, both
///                 too high to be reached.
/// trace_file      for consumer::trace.
/// live_samples    sampled blocks to be held from the start.
struct settings {
  double rate = 0.0;
  consumer samples = consumer::none;
  bool limits = false;
  char const* trace_file = nullptr;
  std::uint64_t live_samples = 0;
};

/// Since the module was loaded.
struct counts {
  std::uint64_t sampled_blocks = 0;
  std::uint64_t interrupts = 0;     ///< must stay 0: no limit is to be reached
  std::uint64_t deepest_stack = 0;  ///< frames, as trackers saw them
};

struct module_controls {
  /// Null, or what went wrong. Once.
  char const* (*start)(settings const&);
  void (*stop)();
  /// Runs `task(context)` under the limits, if any.
  void (*run)(void (*task)(void*), void* context);
  counts (*look)();
};

/// The one function that is looked up in a module besides those of the allocator. It gets what
/// is beneath it, and its own functions, whose names it cannot use (they would be the program's).
using entry_function = module_controls const*(allocator_functions const& beneath,
                                              allocator_functions const& own);
inline constexpr char const* entry_name = "memprof_pairs_module";

}  // namespace pairs
