// SPDX-License-Identifier: MIT
/// \file
/// Soft limits at work: which callbacks are due, and calling them.
#pragma once

#include <cstdint>

#include "memprof/estimate.hpp"

#include "limits/scope.hpp"

namespace memprof::detail {

/// The first amount at which something happens on the way to `limit`: that of the next soft limit
/// not called yet, or `limit`.
std::int64_t next_soft_amount(scope& s, limit_kind kind, std::int64_t limit) noexcept;

/// An estimate not made yet: refers to a callable, which must outlive it.
class measurement {
 public:
  template <class F>
  measurement(F const& f) noexcept  // implicit: an argument
      : object_(&f), call_([](void const* object) noexcept -> estimate {
          return (*static_cast<F const*>(object))();
        }) {}
  estimate operator()() const noexcept { return call_(object_); }

 private:
  void const* object_;
  estimate (*call_)(void const*) noexcept;
};

/// Calls the soft limits of `s` that `amount` has reached and that were not called yet.
///
/// amount      bytes, the request under decision included.
/// measure     gives the same with its bounds; asked only if a callback is due, for it is dear.
/// returns     the limit in force afterwards: `limit`, or what a callback raised it to.
std::int64_t call_soft_limits(scope& s, limit_kind kind, std::int64_t limit, std::int64_t amount,
                              measurement const& measure) noexcept;

/// Callbacks that threw, process-wide.
std::uint64_t callback_failures() noexcept;

/// A callback of the program threw.
void count_callback_failure() noexcept;

}  // namespace memprof::detail
