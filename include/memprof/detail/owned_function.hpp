// SPDX-License-Identifier: MIT
/// \file
/// std::move_only_function, and a substitute for C++ libraries that have none. Not for users.
#pragma once

#include <functional>
#include <memory>
#include <type_traits>
#include <utility>
#include <version>

#include "memprof/detail/export.hpp"

namespace memprof::inline v0::detail {

#if defined(__cpp_lib_move_only_function)

template <class Signature>
using owned_function = std::move_only_function<Signature>;

#else

/// libc++ has none up to version 21. This is a std::function whose target is shared, which
/// therefore need not be copyable; two indirections in place of one.
template <class Signature>
class owned_function;

template <class R, class... Arguments>
class owned_function<R(Arguments...)> {
 public:
  owned_function() = default;
  template <class F>
  requires(!std::is_same_v<std::remove_cvref_t<F>, owned_function> &&
           std::is_invocable_r_v<R, std::decay_t<F>&, Arguments...>) owned_function(F&& f)
      : call_([target = std::make_shared<std::decay_t<F> >(std::forward<F>(f))](
                  Arguments... arguments) -> R {
          return std::invoke(*target, std::forward<Arguments>(arguments)...);
        }) {}
  owned_function(owned_function&&) noexcept = default;
  owned_function& operator=(owned_function&&) noexcept = default;
  owned_function(owned_function const&) = delete;
  owned_function& operator=(owned_function const&) = delete;
  ~owned_function() = default;

  explicit operator bool() const noexcept { return static_cast<bool>(call_); }
  R operator()(Arguments... arguments) { return call_(std::forward<Arguments>(arguments)...); }

 private:
  std::function<R(Arguments...)> call_;
};

#endif

}  // namespace memprof::inline v0::detail
