// SPDX-License-Identifier: MIT
/// \file
/// Coroutines of Boost.Asio under limits. Needs the headers of Boost.Asio (1.81 or later), and is
/// not part of `memprof/memprof.hpp`.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/prefer.hpp>
#include <boost/asio/query.hpp>
#include <boost/asio/require.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <exception>
#include <expected>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>

#include "memprof/limits.hpp"
#include "memprof/masking.hpp"

namespace memprof::inline v0 {

/// `Inner`, but each function that it executes runs by `budget_handle::resume`. It shares the
/// budget's account, and so may outlive the budget.
///
/// Properties (blocking, relationship, outstanding work, the context, ...) are those of `Inner`.
/// Two are equal if their inner executors are, and they share one budget.
///
/// \note Threads: as `Inner`.
/// \note Cost: entering and leaving a limit, some tens of nanoseconds, for each function.
template <class Inner>
class limited_executor {
 public:
  limited_executor(budget_handle budget, Inner inner) noexcept
      : inner_(std::move(inner)), budget_(std::move(budget)) {}

  /// An interrupt of f ends here; other exceptions go where those of `Inner` go.
  template <class F>
  void execute(F&& f) const {
    inner_.execute([budget = budget_, f = std::decay_t<F>(std::forward<F>(f))]() mutable {
      budget.resume([&f] { static_cast<void>(f()); });
    });
  }

  template <class Property>
  requires(boost::asio::can_query<Inner const&, Property>::value) [[nodiscard]] decltype(auto)
      query(Property const& p) const {
    return boost::asio::query(inner_, p);
  }

  template <class Property>
  requires(boost::asio::can_require<Inner const&, Property>::value)
      [[nodiscard]] auto require(Property const& p) const {
    return rebuild(boost::asio::require(inner_, p));
  }

  template <class Property>
  requires(boost::asio::can_prefer<Inner const&, Property>::value)
      [[nodiscard]] auto prefer(Property const& p) const {
    return rebuild(boost::asio::prefer(inner_, p));
  }

  [[nodiscard]] Inner const& inner() const noexcept { return inner_; }
  [[nodiscard]] budget_handle const& budget() const noexcept { return budget_; }

  friend bool operator==(limited_executor const& a, limited_executor const& b) noexcept {
    return a.inner_ == b.inner_ && a.budget_ == b.budget_;
  }
  friend bool operator!=(limited_executor const& a, limited_executor const& b) noexcept {
    return !(a == b);
  }

 private:
  template <class Other>
  limited_executor<Other> rebuild(Other other) const {
    return limited_executor<Other>(budget_, std::move(other));
  }

  Inner inner_;
  budget_handle budget_;
};

template <class Executor>
limited_executor<Executor> budget::executor(Executor inner) const noexcept {
  return limited_executor<Executor>(handle(), std::move(inner));
}

namespace detail {

template <class Awaitable>
struct asio_awaitable;
template <class T, class Executor>
struct asio_awaitable<boost::asio::awaitable<T, Executor>> {
  using value_type = T;
  using executor_type = Executor;
};
template <class F>
using asio_value = typename asio_awaitable<std::invoke_result_t<F&>>::value_type;
template <class F>
using asio_executor = typename asio_awaitable<std::invoke_result_t<F&>>::executor_type;

/// Awaits f() and keeps its value, which need not be default-constructible then.
template <class F, class Value>
boost::asio::awaitable<void, asio_executor<F>> keep_value(F& f, Value& value) {
  if constexpr (std::is_void_v<asio_value<F>>) {
    co_await f();
    value.emplace();
  } else {
    value.emplace(co_await f());
  }
}

/// Without the interrupt that may be pending here.
template <class Executor>
auto post_masked(Executor const& executor) {
  masked_scope const mask;
  return boost::asio::post(executor, boost::asio::use_awaitable_t<Executor>());
}

}  // namespace detail

/// Runs the coroutine f() under limits of its own, on whatever threads its executor resumes it: the
/// counterpart of `run_limited` for coroutines of Asio.
///
/// \param f () -> boost::asio::awaitable<T>. What it co_awaits is resumed under the limits, through
///   a `limited_executor` around this coroutine's executor. What it spawns on another executor is
///   not.
/// \param l `time` counts from the start of each part; use `deadline`.
/// \return result<counted<T>>: the error if a limit was hit, however f ended.
/// \throws std::invalid_argument for an invalid limit.
/// \throws not_active if nothing feeds the sampler.
/// \note Throws what f throws, if no limit was hit.
template <class F>
auto co_run_limited(limits l, F f)
    -> boost::asio::awaitable<result<counted<detail::asio_value<F>>>, detail::asio_executor<F>> {
  using value_type = detail::asio_value<F>;
  using executor_type = detail::asio_executor<F>;
  using kept = std::conditional_t<std::is_void_v<value_type>, std::monostate, value_type>;
  executor_type const here = co_await boost::asio::this_coro::executor;
  memprof::budget budget(std::move(l));
  std::optional<kept> value;
  std::exception_ptr failure;
  try {
    co_await boost::asio::co_spawn(budget.executor(here), detail::keep_value(f, value),
                                   boost::asio::use_awaitable_t<executor_type>());
  } catch (...) {
    failure = std::current_exception();
  }
  // The last part of f runs this coroutine, inside itself: see what it says, and leave it.
  std::optional<interrupted> error = budget.interruption();
  co_await detail::post_masked(here);
  if (error) co_return std::unexpected(*std::move(error));
  if (failure) std::rethrow_exception(failure);
  if constexpr (std::is_void_v<value_type>) {
    co_return counted<void>{budget.allocated()};
  } else {
    co_return counted<value_type>{*std::move(value), budget.allocated()};
  }
}

}  // namespace memprof::inline v0
