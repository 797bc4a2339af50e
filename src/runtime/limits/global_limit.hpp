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
  std::int64_t measured;  ///< estimated major heap, the candidate included
  [[nodiscard]] bool over() const noexcept {
    return limit != unlimited && (measured > limit || limit == 0);
  }
};
global_state look_at_global(std::int64_t candidate) noexcept;

/// Whether `s`, which noticed that the heap is over its limit, must be interrupted. If not, another
/// task has been chosen.
bool is_victim(scope& s, global_state const& state) noexcept;

}  // namespace memprof::inline v0::detail
