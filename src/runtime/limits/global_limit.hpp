// SPDX-License-Identifier: MIT
/// \file
/// The limit on the live major heap of the process, and whom it interrupts.
#pragma once

#include <cstdint>

#include "limits/scope.hpp"

namespace memprof::inline v0::detail {

/// Bytes, or `unlimited`.
std::int64_t load_global_limit() noexcept;
void store_global_limit(std::int64_t limit) noexcept;

/// Scopes under the global limit are in a list, for the choice of a victim. `unregister` also
/// takes back the choice of this scope.
void register_global(scope& s) noexcept;
void unregister_global(scope& s) noexcept;

/// What a task that is about to add `candidate` bytes to the major heap must know.
struct global_state {
  std::int64_t limit;     ///< bytes, or `unlimited`
  std::int64_t measured;  ///< estimated major heap, the candidate included
  [[nodiscard]] bool over() const noexcept {
    return limit != unlimited && (measured > limit || limit == 0);
  }
};
global_state look_at_global(std::int64_t candidate) noexcept;

/// The heap is over its limit: must `s`, which noticed it, be interrupted? If not, another task
/// has been chosen.
bool is_victim(scope& s, global_state const& state) noexcept;

}  // namespace memprof::inline v0::detail
