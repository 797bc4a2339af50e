// SPDX-License-Identifier: MIT
/// \file
/// Front header of `copies`: one copy of the library works for the whole process.
///
/// An archive is taken into each module that is linked with it, so a process may have several
/// copies of memprof: in the program, in plug-ins that it loads, in the preload library. Limits,
/// masks and tokens must be the same for all code of a thread. So each copy finds out, when it is
/// loaded, which one is used, and every function of the public interface begins with
///
///     if (auto const* const other = copies::other()) return other->is_masked();
#pragma once

#include <atomic>
#include <cstdint>

#include "copies/functions.hpp"        // IWYU pragma: export
#include "copies/preload_library.hpp"  // IWYU pragma: export

namespace memprof::copies {

/// What must be equal for one copy to use another: the layouts of what they exchange.
struct build {
  char text[56];  ///< for messages: the version, and the C++ library
  std::uint32_t sizes[4];
  bool operator==(build const&) const = default;
};

/// A copy. The note that points to it is in every module that has one (own_copy.cpp). `kind`,
/// first of all, stays what it is in all versions.
struct copy {
  build kind;
  /// The copy for the process, as found when this one was loaded; null: not found out yet.
  std::atomic<copy const*> chosen{nullptr};
  /// The copy that this one uses: the chosen one. Only the preload library uses itself when the
  /// program has the replacement, too: it traces, while limits are the program's business.
  std::atomic<copy const*> used{nullptr};
  /// Not null if the copy comes with the replacement of malloc and operator new.
  void const* replacement;
  functions table;
};

extern "C" [[gnu::visibility("hidden")]] constinit copy memprof_own_copy;

/// Finds out which copy this one uses, says so if it cannot be, and keeps it loaded. The first in
/// the order in which they were loaded that has the replacement, or else the first; one that was
/// chosen before stays.
///
/// \note Threads: any; takes the loader's locks. Called when the module is loaded, and by other()
///   only for what earlier constructors do.
copy const& find_used_copy() noexcept;

/// Whether a copy of another build was there when this one was loaded: it cannot be used.
bool met_foreign_copy() noexcept;

/// The functions of the copy to use instead of this one; null if it is this one.
/// Signal-safe once the module's constructors have run. Cost: a load and a comparison.
inline functions const* other() noexcept {
  copy const* used = memprof_own_copy.used.load(std::memory_order_relaxed);
  if (used == &memprof_own_copy) [[likely]]
    return nullptr;
  if (used == nullptr) used = &find_used_copy();
  return used == &memprof_own_copy ? nullptr : &used->table;
}

}  // namespace memprof::copies
