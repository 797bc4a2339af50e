// SPDX-License-Identifier: MIT
/// \file
/// Scopes whose limit function was left without returning, by longjmp or siglongjmp. C++ leaves
/// such a jump over objects undefined, but libraries in C do it (Lua, libpng), so the scopes that
/// it passed are dropped, as if their functions had returned.
///
/// Nobody says so when a jump happens. Scopes lie in a pool, not on the stack, so one that was
/// passed stays whole until it is noticed:
///  - code further out on the same stack than its function's frame enters a limit, comes to an
///    event, or asks for interrupts;
///  - a scope around it ends;
///  - its interrupt is due, and the pre-flight finds the frame of another function in that place;
///  - its thread ends.
/// Up to then it is charged for what the thread allocates.
#pragma once

#include <cstdint>
#include <utility>

#include "limits/scope.hpp"

namespace memprof::inline v0::detail {

/// A scope for a limit function, in memory that outlives the function's frame.
class scope_memory {
 public:
  /// Throws std::bad_alloc if there is no memory.
  explicit scope_memory(scope_request const& request);
  /// That a `keep` left.
  explicit scope_memory(scope& kept) noexcept : scope_(&kept) {}
  ~scope_memory();
  scope_memory(scope_memory const&) = delete;
  scope_memory& operator=(scope_memory const&) = delete;

  [[nodiscard]] scope& operator*() const noexcept { return *scope_; }
  /// The scope stays when this is destroyed.
  scope& keep() noexcept { return *std::exchange(scope_, nullptr); }

 private:
  scope* scope_;
};

/// Scopes have indices in [1, highest_scope()], of at most so many bits, and a note each. Any
/// thread.
inline constexpr unsigned scope_index_bits = 20;
std::uint32_t highest_scope() noexcept;
overdue_note& note_of_scope(std::uint32_t index) noexcept;

/// Limit functions that were entered so far. Each place counts those that it had: no counter is
/// shared. Any thread.
std::uint64_t scopes_entered() noexcept;

[[gnu::cold]] void drop_scopes_below(std::uintptr_t frame) noexcept;

/// Drops the innermost scopes whose functions' frames are further in than `frame`, the address of a
/// frame that is in use.
inline void drop_abandoned_scopes(void const* frame) noexcept {
  scope const* const s = this_thread_limits.innermost;
  if (s == nullptr || frame <= s->boundary) [[likely]]
    return;
  // Or `frame` is on another stack.
  drop_scopes_below(reinterpret_cast<std::uintptr_t>(frame));
}

/// Drops the scopes inside `s`, whose function is returning.
/// \return false if one of them is on another stack, or `s` is no scope of this thread.
[[gnu::cold]] bool drop_scopes_inside(scope& s) noexcept;

/// Drops a scope, innermost or not, whose frame the pre-flight did not find.
[[gnu::cold]] void drop_scope(scope& s) noexcept;

}  // namespace memprof::inline v0::detail
