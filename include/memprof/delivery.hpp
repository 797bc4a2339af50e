// SPDX-License-Identifier: MIT
/// \file
/// Where interrupts may be raised: what the tables of a program cannot tell, said by hand; and a
/// look at what is deferred.
///
/// An interrupt is raised only where the unwind tables and the code of the landing pads show that
/// it reaches its limit function. Of some code they cannot tell: C++ compiled with -fno-exceptions
/// and mixed into a C++ module, C that was merged into C++ by link-time optimisation, C in a
/// stripped C++ module. `scripts/check_binary.py` names such objects; these functions say what to
/// do about them.
#pragma once

#include <cstdint>

#include "memprof/detail/export.hpp"
#include "memprof/interrupted.hpp"

namespace memprof::inline v0 {

/// What a stretch of code lets through, by decree.
enum class delivery_through : std::uint8_t {
  by_tables,          ///< as its tables say: takes back what was said before
  never,              ///< no interrupt is raised through a frame of it
  despite_handlers,   ///< handlers in it may swallow or replace the interrupt: raised all the same
  not_into_handlers,  ///< not raised where a handler in it might swallow or replace it
  despite_c_linkage   ///< functions with C linkage in it are C++, or C that holds nothing: raised
                      ///< through them
};

/// Decrees it for the code [begin, end).
///
/// Of several stretches that cover a place the latest counts. What would end in std::terminate is
/// refused whatever is decreed.
///
/// throws      std::invalid_argument if the stretch is empty; std::length_error beyond 64 of them.
/// threads     any, at any time. Not from a signal handler.
MEMPROF_API void set_delivery_through(void const* begin, void const* end, delivery_through how);

/// Decrees it for a module that is loaded.
///
/// module      its file name ("libsqlite3.so.0") or path; "" is the program itself.
/// throws      std::invalid_argument if no such module is loaded; std::length_error as above.
MEMPROF_API void set_delivery_through_module(char const* module, delivery_through how);

/// An interrupt was due and could not be raised.
struct deferral {
  limit_kind kind;          ///< of the limit that waits
  char const* reason;       ///< a literal: "under a noexcept function or destructor"
  void const* place;        ///< an address in the function that is the reason; null if none is
  std::uint64_t deferrals;  ///< of this task so far, this one included
};

/// Called for every deferral of any task, null: for none (the default).
///
/// It runs inside the allocation that was refused, in the thread of the task: this thread is muted,
/// the library holds no lock, the program may hold any. Let it be short: attempts are spaced by a
/// growing number of words, a thousand in a task that allocates 8 MiB where it cannot be stopped.
MEMPROF_API void set_deferral_observer(void (*observer)(deferral const&) noexcept) noexcept;

}  // namespace memprof::inline v0
