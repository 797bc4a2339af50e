// SPDX-License-Identifier: MIT
#include "memprof/masking.hpp"

#include "limits/scope.hpp"

namespace memprof::inline v0 {
namespace detail {
namespace {

/// What the mask kept back is due at the next delivery point; a grace that runs is not cut short.
void resume_deliveries() noexcept {
  for (scope* s = mine.innermost; s != nullptr; s = s->outer) {
    if (s->pending() && s->refused) s->next_attempt = at_once;
  }
  mine.misses = 0;
  engine::event settle{0};
  set_wakeup();
}

}  // namespace

int mask_depth() noexcept { return mine.mask_depth; }

void set_mask_depth(int depth) noexcept {
  mine.mask_depth = depth;
  if (depth == 0 && mine.innermost != nullptr && mine.innermost->chain_pending) {
    resume_deliveries();
  }
}

void mask() noexcept { ++mine.mask_depth; }
void unmask() noexcept { set_mask_depth(mine.mask_depth - 1); }

}  // namespace detail

bool is_masked() noexcept { return detail::mine.mask_depth > 0; }

}  // namespace memprof::inline v0
