// SPDX-License-Identifier: MIT
/// \file
/// The limit on the live major heap of the process, and which tasks it interrupts.
#pragma once

#include <cstdint>

#include "limits/scope.hpp"

namespace memprof::inline v0::detail {

/// Bytes, or `unlimited`.
std::int64_t load_global_limit() noexcept;
void store_global_limit(std::int64_t limit) noexcept;

/// Scopes under the global limit are in a list, for the choice of a victim. `unregister` also
/// withdraws the choice of this scope.
void register_global(scope& s) noexcept;
void unregister_global(scope& s) noexcept;

/// The limit, and the heap with the `candidate` bytes that a task is about to add to it.
struct global_state {
  std::int64_t limit;     ///< bytes, or `unlimited`
  std::int64_t measured;  ///< estimated major heap, with what was granted and the candidate
  [[nodiscard]] bool over() const noexcept {
    return limit != unlimited && (measured > limit || limit == 0);
  }
};
global_state look_at_global(std::int64_t candidate) noexcept;
/// The same. If the limit has room for the candidate it is granted, so that no other thread gets
/// that room, too.
global_state ask_global(std::int64_t candidate) noexcept;

/// For victim::largest: this thread's request brings the heap over its limit. Chooses a victim, if
/// there is none, and waits until there is room for the request, which is then granted.
///
/// \param may_wait otherwise it only chooses.
/// \return false if this thread's task must be interrupted: it is the victim, or others did not
///   make room in time. True if not; if state.over() then, there is no room: it may not wait, or
///   its token or deadline has passed.
bool await_room(global_state& state, std::int64_t candidate, bool may_wait) noexcept;

}  // namespace memprof::inline v0::detail
