// SPDX-License-Identifier: MIT
/// \file
/// Masking: regions where no interrupt is delivered, and resources that are safe under interrupts.
///
///     auto n = memprof::with_resource([&] { return db.lock(); },            // masked
///                                     [&](auto& lock) { return work(lock); },
///                                     [&](auto& lock) noexcept { db.unlock(lock); });  // masked
///
/// A masked region only delays delivery; what is allocated there is charged as usual.
#pragma once

#include <functional>
#include <type_traits>
#include <utility>

#include "memprof/detail/export.hpp"

namespace memprof::inline v0 {

/// True if this thread is inside a masked region. Cost: one thread-local load. Signal-safe.
MEMPROF_API bool is_masked() noexcept;

namespace detail {
/// \return the thread, for `unmask`.
MEMPROF_API void const* mask() noexcept;
MEMPROF_API void unmask(void const* thread) noexcept;
MEMPROF_API int mask_depth() noexcept;
MEMPROF_API void set_mask_depth(int depth) noexcept;
}  // namespace detail

/// While it lives, no interrupt is delivered to this thread. May be nested: a pending interrupt is
/// delivered at the first delivery point after the outermost scope has ended.
///
/// \note Threads: create and destroy it on the same thread: no `co_await` in between that may
///   resume on another one. The process ends with a message otherwise, because the first thread
///   would stay masked for ever.
class [[nodiscard]] masked_scope {
 public:
  [[nodiscard]] masked_scope() noexcept : thread_(detail::mask()) {}
  ~masked_scope() { detail::unmask(thread_); }
  masked_scope(masked_scope const&) = delete;
  masked_scope& operator=(masked_scope const&) = delete;

 private:
  void const* thread_;
};

/// Runs `scope` on the resource that `acquire` returns, and then `release`, as try/finally would.
///
/// `acquire` and `release` run masked. `scope` runs with the mask as it was before, so it stays
/// masked inside another `acquire`. If `acquire` returned, `release` is called, whether `scope`
/// returns or throws. In `release`, `is_interrupted()` shows whether an interrupt ended the scope:
/// then roll back, or mark the resource as bad.
///
/// \param acquire () -> resource. Should have no effect when it throws.
/// \param scope (resource&) -> result.
/// \param release (resource&) noexcept.
/// \return what scope returns.
/// \note Throws what acquire or scope throws.
template <class Acquire, class Scope, class Release>
decltype(auto) with_resource(Acquire&& acquire, Scope&& scope, Release&& release) {
  using resource_type = std::invoke_result_t<Acquire>;
  using argument = std::add_lvalue_reference_t<resource_type>;
  static_assert(!std::is_void_v<resource_type>, "acquire must return the resource");
  static_assert(std::is_nothrow_invocable_v<Release, argument>,
                "release must be noexcept: it also runs while an interrupt unwinds the scope");

  struct restore_mask {
    int depth;
    ~restore_mask() { detail::set_mask_depth(depth); }
  };
  struct releaser {
    Release& release;
    std::remove_reference_t<resource_type>& resource;
    ~releaser() { std::invoke(release, resource); }
  };

  // Destroyed in reverse: the scope's mask depth back to masked, then release, then the mask.
  masked_scope masked;
  resource_type resource = std::invoke(std::forward<Acquire>(acquire));
  releaser on_exit{release, resource};
  restore_mask again{detail::mask_depth()};
  detail::set_mask_depth(again.depth - 1);
  return std::invoke(std::forward<Scope>(scope), resource);
}

}  // namespace memprof::inline v0
