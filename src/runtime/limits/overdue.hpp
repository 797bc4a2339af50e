// SPDX-License-Identifier: MIT
/// \file
/// A list of the scopes that are overdue or may become so by time alone, for other threads to read.
#pragma once

#include <atomic>
#include <cstdint>

#include "memprof/interrupted.hpp"

namespace memprof::inline v0::detail {

struct scope;

/// What other threads may know of a scope. Its thread writes, under no lock; each value is right by
/// itself.
struct overdue_note {
  std::atomic<std::int64_t> since{0};  ///< ns, steady clock: the hit, or the deadline to come
  std::atomic<limit_kind> kind{};
  std::atomic<std::int64_t> beyond{0};  ///< bytes
  std::atomic<std::uint64_t> deliveries{0};
  std::atomic<std::uint64_t> deferrals{0};
  std::atomic<char const*> last_deferral{nullptr};
  std::atomic<std::uintptr_t> last_place{0};
  // Of its thread alone.
  bool noted = false;  ///< since it was listed: that it is pending
  bool listed = false;
  // Guarded by the list's lock.
  std::uint64_t number = 0;  ///< of the task
  std::int64_t thread = 0;
  scope* next = nullptr;
  scope* previous = nullptr;
};

/// Lists a scope, which has a deadline or is pending. In an event.
void list_overdue(scope& s) noexcept;

/// Takes it off the list, if it is there. Before the scope's memory is used for another.
void unlist_overdue(scope& s) noexcept;

/// Lists the scopes of this thread that are pending, and notes how far they are. In an event, with
/// the position after it.
void note_overdue(std::int64_t position) noexcept;

}  // namespace memprof::inline v0::detail
