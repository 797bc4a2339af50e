// SPDX-License-Identifier: MIT
/// \file
/// Where interrupts may be raised: overrides for code whose tables do not show it, and an observer
/// of deferrals.
///
/// An interrupt is raised only where the unwind tables and the code of the landing pads show that
/// it reaches its limit function. For some code they do not show it: C++ compiled with
/// -fno-exceptions and mixed into a C++ module, C that was merged into C++ by link-time
/// optimisation, C in a stripped C++ module. `scripts/check_binary.py` names such objects; declare
/// here how to treat them.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "memprof/detail/export.hpp"
#include "memprof/interrupted.hpp"

namespace memprof::inline v0 {

enum class malloc_policy : std::uint8_t;  // memprof/limits.hpp

/// Whether interrupts may be raised through the frames of a range of code.
enum class delivery_through : std::uint8_t {
  by_tables,          ///< decided by its tables, as by default: removes an earlier override
  never,              ///< no interrupt is raised through a frame of it
  despite_handlers,   ///< raised even where a handler in it may swallow or replace the interrupt
  not_into_handlers,  ///< not raised where a handler in it may swallow or replace the interrupt
  despite_c_linkage   ///< raised through functions with C linkage: they are C++, or C that holds
                      ///< nothing
};

/// Overrides the decision for the code [begin, end).
///
/// Where ranges overlap the latest counts. An interrupt that would end in std::terminate is never
/// raised, whatever is set here.
///
/// \throws std::invalid_argument if the range is empty.
/// \throws std::length_error beyond 64 ranges.
/// \note Threads: any, at any time. Not from a signal handler.
MEMPROF_API void set_delivery_through(void const* begin, void const* end, delivery_through how);

/// Overrides the decision for a loaded module.
///
/// \param module its file name ("libsqlite3.so.0") or path; "" is the program itself.
/// \throws std::invalid_argument if no such module is loaded.
/// \throws std::length_error as above.
MEMPROF_API void set_delivery_through_module(char const* module, delivery_through how);

/// Declares that functions do not survive an exception out of an allocation: no interrupt is raised
/// through their frames. It waits until they have returned.
///
///     memprof::set_delivery_through_function("shop::*::index_tree<*>::*",
///                                            memprof::delivery_through::never);
///
/// Functions of some libraries are on such a list from the start (docs/containers.md); `by_tables`
/// takes functions off it. Functions are found by their symbols: not where a compiler has inlined
/// them, nor functions that are not exported by a stripped file. Leave those to `masked_scope`, or
/// declare their whole module.
///
/// \param pattern "module FILE", the file name without version ("libgrpc.so"): all code of a
///   library. Or the names of namespaces, class and function, between "::". In a name * stands for
///   any letters, but not in the first; alone it stands for one name or more. "name<*>" has
///   template arguments. Of several patterns that match the latest counts.
/// \param how `never`, or `by_tables`: as any other function.
/// \throws std::invalid_argument for another `how` or no such pattern.
/// \throws std::length_error beyond 64 patterns or 200 letters.
/// \throws std::logic_error once a limit was entered, since the program's symbols were read then.
/// \note Threads: any. Not from a signal handler.
MEMPROF_API void set_delivery_through_function(std::string_view pattern, delivery_through how);

/// Sets what malloc gives to the code of a loaded module in tasks whose limit was hit, in place of
/// what `limits::malloc_after_hit` says: `refuse` for a library in C that looks at what malloc
/// returns, `serve` for one that does not. It holds for calls of malloc from that module itself, in
/// all tasks that are hit from then on.
///
/// \param module its file name ("libxml2.so.2") or path; "" is the program itself.
/// \throws std::invalid_argument if no such module is loaded.
/// \throws std::length_error beyond 64.
/// \note Threads: any, at any time. Not from a signal handler.
MEMPROF_API void set_malloc_after_hit_in_module(char const* module, malloc_policy policy);

/// An interrupt that was due and could not be raised.
struct deferral {
  limit_kind kind;          ///< of the limit that was hit
  char const* reason;       ///< a literal: "under a noexcept function or destructor"
  void const* place;        ///< an address in the function that caused it; null if none did
  std::uint64_t deferrals;  ///< of this task so far, this one included
};

/// Sets a function that is called for every deferral of any task; null, the default: none.
///
/// It runs inside the allocation where the interrupt was due, on the task's thread. The thread is
/// muted; the library holds no lock, but the program may hold any. Keep it short: attempts are
/// spaced by a growing number of words, a thousand of them in a task that allocates 8 MiB where it
/// cannot be stopped.
MEMPROF_API void set_deferral_observer(void (*observer)(deferral const&) noexcept) noexcept;

/// How often interrupts could not be raised for one reason.
struct deferral_count {
  char const* reason;  ///< as of `deferral`
  std::uint64_t count;
};

/// All reasons that there were so far, in the order of their first deferral. Their sum is
/// `counters().deferrals`.
///
/// \throws std::bad_alloc without memory.
/// \note Threads: any. Takes no lock.
[[nodiscard]] MEMPROF_API std::vector<deferral_count> deferrals_by_reason();

}  // namespace memprof::inline v0
