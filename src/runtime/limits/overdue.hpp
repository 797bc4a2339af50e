// SPDX-License-Identifier: MIT
/// \file
/// Which scopes are overdue, or may become so by time alone, for other threads to read.
#pragma once

#include <atomic>
#include <cstdint>

#include "memprof/interrupted.hpp"

namespace memprof::inline v0::detail {

struct scope;

/// What other threads may read of a scope. It lies beside the scope in the pool and is never
/// destroyed. The scope's thread writes, under no lock; each value is right by itself.
struct overdue_note {
  /// The task's number while it is listed, else 0: publishes the rest. A reader that finds the same
  /// number before and after has read values of this task only.
  std::atomic<std::uint64_t> listed{0};
  std::atomic<std::int64_t> thread{0};
  std::atomic<std::int64_t> since{0};  ///< ns, steady clock: the hit, or the deadline to come
  std::atomic<limit_kind> kind{};
  std::atomic<std::int64_t> beyond{0};  ///< bytes
  std::atomic<std::uint64_t> deliveries{0};
  std::atomic<std::uint64_t> deferrals{0};
  std::atomic<char const*> last_deferral{nullptr};
  std::atomic<std::uintptr_t> last_place{0};
  std::uint64_t tasks = 0;  ///< that were listed here; of the scope's thread alone
};

/// Of the scope's thread alone.
struct overdue_state {
  overdue_note* note = nullptr;
  std::uint64_t number = 0;  ///< of the task, which keeps it while it is paused
  bool listed = false;
  bool noted = false;  ///< since it was listed: that it is pending
};

/// Lists a scope, which has a deadline or is pending. In an event. Some stores.
void list_overdue(scope& s) noexcept;

/// Takes it off the list, if it is there. Before the scope's memory is used for another.
void unlist_overdue(scope& s) noexcept;

/// Lists a scope if it is pending, and notes how far it is. In an event, with the position after
/// it.
void note_overdue(scope& s, std::int64_t position) noexcept;
/// The same for all scopes of this thread.
void note_overdue(std::int64_t position) noexcept;

}  // namespace memprof::inline v0::detail
