// SPDX-License-Identifier: MIT
#include "memprof/masking.hpp"

#include "copies/copies.hpp"
#include "limits/abandoned_scopes.hpp"
#include "limits/misuse.hpp"
#include "limits/scope.hpp"

namespace memprof::inline v0 {
namespace detail {
namespace {

/// Interrupts that the mask delayed are due at the next delivery point; a running grace is not cut
/// short.
void resume_deliveries() noexcept {
  for (scope* s = this_thread_limits.innermost; s != nullptr; s = s->outer) {
    if (s->pending() && s->attempts.refused) s->attempts.make_due();
  }
  this_thread_limits.misses = 0;
  const engine::event settle;
  set_wakeup();
}

/// A scope that longjmp passed resets the mask to what it was when the scope began, once that is
/// noticed: before the mask changes again. Drops those that the caller of the function with this
/// frame entered, too.
void drop_scopes_of_caller(void const* frame) noexcept {
  drop_abandoned_scopes(static_cast<void const* const*>(frame) + 2);
}

}  // namespace

int mask_depth() noexcept {
  if (auto const* const other = copies::other()) return other->mask_depth();
  drop_scopes_of_caller(__builtin_frame_address(0));
  return this_thread_limits.mask_depth;
}

void set_mask_depth(int depth) noexcept {
  if (auto const* const other = copies::other()) return other->set_mask_depth(depth);
  drop_scopes_of_caller(__builtin_frame_address(0));
  this_thread_limits.mask_depth = depth;
  if (depth == 0 && this_thread_limits.innermost != nullptr &&
      this_thread_limits.innermost->chain.pending) {
    resume_deliveries();
  }
}

void const* mask() noexcept {
  if (auto const* const other = copies::other()) return other->mask();
  drop_scopes_of_caller(__builtin_frame_address(0));
  ++this_thread_limits.mask_depth;
  return &this_thread_limits;
}

void unmask(void const* thread) noexcept {
  if (auto const* const other = copies::other()) return other->unmask(thread);
  if (thread != &this_thread_limits) [[unlikely]] {
    end_by_misuse("masked_scope",
                  "it was destroyed on another thread than it was made on. Do not hold one across "
                  "a switch to another thread (co_await, fibers).");
  }
  drop_scopes_of_caller(__builtin_frame_address(0));
  set_mask_depth(this_thread_limits.mask_depth - 1);
}

}  // namespace detail

bool is_masked() noexcept {
  if (auto const* const other = copies::other()) return other->is_masked();
  return detail::this_thread_limits.mask_depth > 0;
}

}  // namespace memprof::inline v0
