// SPDX-License-Identifier: MIT
/// \file
/// The boundary between the templates of `limits.hpp` and the compiled library. Not for users.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>

#include "memprof/detail/export.hpp"
#include "memprof/interrupted.hpp"
#include "memprof/soft_limit.hpp"
#include "memprof/units.hpp"

namespace memprof::inline v0 {

struct limits;
enum class counting : std::uint8_t;
struct ceiling;
enum class handler_policy : std::uint8_t;
enum class malloc_policy : std::uint8_t;

namespace detail {

/// A budget's account; counted references, see src/runtime/limits/shared_account.hpp.
struct shared_account;

/// A limit that is in force: src/runtime/limits/scope.hpp.
struct scope;

/// A task that can pause, as the limits see it: src/runtime/limits/suspension.hpp.
struct suspension;

/// Queries a cancellation source: true if it was set. `reason` may be null.
struct stop_source {
  void const* object = nullptr;
  bool (*is_set)(void const*) noexcept = nullptr;
  char const* (*reason)(void const*) noexcept = nullptr;
};

/// What a scope enforces.
struct scope_request {
  char const* function;  ///< for messages: the function that the user called
  std::optional<bytes> allocations = {};
  std::optional<bytes> memory = {};
  bool global_memory = false;
  stop_source stop = {};
  std::optional<std::chrono::nanoseconds> time = {};
  std::optional<std::chrono::steady_clock::time_point> deadline = {};
  std::function<bool()> const* cancel_if = nullptr;
  counting count{};
  bool strict = false;
  words grace{10'000};
  handler_policy handlers{};
  malloc_policy malloc_after_hit{};
  std::span<soft_limit const> soft = {};
  memprof::ceiling const* ceiling = nullptr;
  std::optional<double> false_interrupt_probability = {};
  double finest_rate = 0.0;  ///< per word, at the limit on memory; 0: that of the limits
  shared_account* shared = nullptr;
  bool resumption = false;         ///< a part of a task: see budget_handle::resume
  std::uint8_t explain = 0;        ///< stacks of each kind, for the error
  suspension* pausable = nullptr;  ///< the task that this scope is the outermost one of
  void const* begun_by = nullptr;  ///< not null: of begin_scope, and no exception can reach it
};

struct run_report {
  std::optional<interrupted> error;
  bytes allocated{};
};

using task_function = void (*)(void* context);

/// Runs `task(context)` under the request. An exception of the task leaves here if no limit of the
/// request was hit. Throws std::invalid_argument and not_active before the task is run.
MEMPROF_API run_report run(scope_request const& request, task_function task, void* context);

/// What `run` throws before the task is run, but for std::bad_alloc.
MEMPROF_API void check_run(scope_request const& request);

/// The same for a task that begins and ends by a call. No exception is raised for it; it is stopped
/// by null from malloc, and by asking. Null: `report` has what was hit before it began. Throws as
/// `run`, and std::bad_alloc.
///
/// \param request its `begun_by` is who begins it, for end_scope.
MEMPROF_API scope* begin_scope(scope_request const& request, run_report& report);
/// On its thread, in any order.
/// \return nullopt: none of this thread's limits was begun by him.
MEMPROF_API std::optional<run_report> end_scope(void const* begun_by);

/// Whether a limit that binds this thread was hit. Looks at all of them now, and what it sees
/// decides their results. Cost: as a cancellation_point.
MEMPROF_API bool should_stop() noexcept;

/// The request that `l` describes; refers to `l`.
MEMPROF_API scope_request make_request(char const* function, limits const& l) noexcept;

}  // namespace detail
}  // namespace memprof::inline v0
