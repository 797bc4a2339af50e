// SPDX-License-Identifier: MIT
/// \file
/// Definitions of the templates of `limits.hpp`: they erase the task's type and hand it to
/// `detail::run`. Not for users.
#pragma once

#include "memprof/detail/export.hpp"
#include "memprof/limits.hpp"

namespace memprof::inline v0 {
namespace detail {

template <class F>
using task_result = std::invoke_result_t<F>;

/// Whether an R is a coroutine or what one awaits: something that runs later, when the limit
/// function has returned. Asio's, those of libraries, std::generator.
template <class R>
concept runs_later = requires(R& r) {
  r.await_ready();
}
|| requires(R&& r) { static_cast<R&&>(r).operator co_await(); }
|| requires(R&& r) { operator co_await(static_cast<R&&>(r)); }
|| requires { typename R::promise_type; };

/// A task and the place for its value. Without arguments std::invoke would be this call, and three
/// functions more in every stack.
template <class F, class R = task_result<F>>
struct erased_task {
  static_assert(!std::is_reference_v<R>, "the task must not return a reference: return a pointer");
  static_assert(!runs_later<R>,
                "the task must not be a coroutine: it would run after the limit function returned, "
                "unlimited. Run it to its end in the task, or use memprof::task");

  F&& f;
  std::optional<R> value = {};

  static void call(void* context) {
    auto& self = *static_cast<erased_task*>(context);
    self.value.emplace(std::forward<F>(self.f)());
  }
};

template <class F>
struct erased_task<F, void> {
  F&& f;

  static void call(void* context) { std::forward<F>(static_cast<erased_task*>(context)->f)(); }
};

/// Runs f through `runner` (something that calls `detail::run`) and builds result<counted<R>>.
template <class F, class Runner>
auto run_counted(F&& f, Runner&& runner) -> result<counted<task_result<F>>> {
  erased_task<F> task{std::forward<F>(f)};
  run_report report = runner(&erased_task<F>::call, static_cast<void*>(&task));
  if (report.error) return std::unexpected(*std::move(report.error));
  if constexpr (std::is_void_v<task_result<F>>) {
    return counted<void>{report.allocated};
  } else {
    return counted<task_result<F>>{*std::move(task.value), report.allocated};
  }
}

/// The same without the count.
template <class F>
auto run_plain(scope_request const& request, F&& f) -> result<task_result<F>> {
  erased_task<F> task{std::forward<F>(f)};
  run_report report = run(request, &erased_task<F>::call, static_cast<void*>(&task));
  if (report.error) return std::unexpected(*std::move(report.error));
  if constexpr (std::is_void_v<task_result<F>>) {
    return {};
  } else {
    return *std::move(task.value);
  }
}

MEMPROF_API stop_source stop_source_of(token const& t) noexcept;
#if defined(__cpp_lib_jthread)
MEMPROF_API stop_source stop_source_of(std::stop_token const& t) noexcept;
#endif

}  // namespace detail

template <class F>
auto limit_allocations(bytes limit, F&& f) -> result<counted<std::invoke_result_t<F>>> {
  detail::scope_request request{.function = "limit_allocations", .allocations = limit};
  return detail::run_counted(std::forward<F>(f), [&](detail::task_function task, void* context) {
    return detail::run(request, task, context);
  });
}

template <class F>
auto limit_memory(bytes limit, F&& f) -> result<std::invoke_result_t<F>> {
  return detail::run_plain({.function = "limit_memory", .memory = limit}, std::forward<F>(f));
}

template <class F>
auto limit_global_memory(F&& f) -> result<std::invoke_result_t<F>> {
  return detail::run_plain({.function = "limit_global_memory", .global_memory = true},
                           std::forward<F>(f));
}

template <class F>
auto limit_with_token(token const& t, F&& f) -> result<std::invoke_result_t<F>> {
  return detail::run_plain({.function = "limit_with_token", .stop = detail::stop_source_of(t)},
                           std::forward<F>(f));
}

#if defined(__cpp_lib_jthread)
template <class F>
auto limit_with_token(std::stop_token const& t, F&& f) -> result<std::invoke_result_t<F>> {
  return detail::run_plain({.function = "limit_with_token", .stop = detail::stop_source_of(t)},
                           std::forward<F>(f));
}
#endif

template <class F>
auto limit_time(std::chrono::nanoseconds time, F&& f) -> result<std::invoke_result_t<F>> {
  return detail::run_plain({.function = "limit_time", .time = time}, std::forward<F>(f));
}

template <class F>
auto run_limited(limits const& l, F&& f) -> result<counted<std::invoke_result_t<F>>> {
  return detail::run_counted(std::forward<F>(f), [&](detail::task_function task, void* context) {
    return detail::run(detail::make_request("run_limited", l), task, context);
  });
}

template <class F>
auto budget::run(F&& f) -> result<counted<std::invoke_result_t<F>>> {
  return detail::run_counted(std::forward<F>(f), [&](detail::task_function task, void* context) {
    return run_erased(task, context);
  });
}

template <class F>
void budget_handle::resume(F&& f) const {
  using erased = detail::erased_task<F, void>;
  static_assert(std::is_void_v<std::invoke_result_t<F>>);
  erased task{std::forward<F>(f)};
  resume_erased(&erased::call, &task);
}

}  // namespace memprof::inline v0
