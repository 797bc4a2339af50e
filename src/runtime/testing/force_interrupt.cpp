// SPDX-License-Identifier: MIT
#include <stdexcept>

#include "memprof/testing.hpp"

#include "copies/copies.hpp"
#include "limits/limits.hpp"

namespace memprof::inline v0::testing {

void force_interrupt() {
  if (auto const* const other = copies::other()) return other->force_interrupt();
  if (!memprof::detail::inject_interrupt()) {
    throw std::logic_error("memprof::testing::force_interrupt: no limit runs on this thread");
  }
}

bool is_pending() noexcept {
  if (auto const* const other = copies::other()) return other->is_pending();
  return memprof::detail::any_undelivered();
}

}  // namespace memprof::inline v0::testing
