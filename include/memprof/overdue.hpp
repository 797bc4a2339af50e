// SPDX-License-Identifier: MIT
/// \file
/// Tasks that go on although their limit was hit: what a watchdog looks at.
///
///     memprof::overdue_watch const watch({.late = 2s}, [](memprof::overdue_task const& t) {
///       log("thread " + std::to_string(t.thread) + " goes on after its limit was hit");
///     });
#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <new>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

#include "memprof/detail/export.hpp"
#include "memprof/interrupted.hpp"
#include "memprof/units.hpp"

namespace memprof::inline v0 {

/// A limit function that has not returned since its limit was hit.
///
/// Its amounts are those at the latest event of its thread: an allocation that was looked at,
/// cancellation_point(). A deadline counts from the time that was set, also if the task has had no
/// event since.
struct overdue_task {
  std::uint64_t number = 0;             ///< another one for each task
  std::int64_t thread = 0;              ///< as gettid gives it
  limit_kind kind{};                    ///< of the limit that was hit
  std::chrono::nanoseconds late{};      ///< since it was hit, or the deadline passed
  bytes beyond{};                       ///< allocated by the task's thread since it was hit
  std::uint64_t deliveries = 0;         ///< how often the interrupt was raised, and swallowed
  std::uint64_t deferrals = 0;          ///< how often it could not be raised
  char const* last_deferral = nullptr;  ///< the latest reason for that, a literal; null: none
  void const* last_place =
      nullptr;  ///< an address in the function that caused it; null if none did
};

/// When a task is overdue: if one of the two is exceeded.
struct overdue_policy {
  std::chrono::nanoseconds late{1'000'000'000};
  bytes beyond{std::int64_t{1} << 62};
  /// How often `overdue_watch` looks.
  std::chrono::nanoseconds interval{100'000'000};
};

/// The tasks that are overdue, of all threads, in no order, without paused `memprof::task`s.
///
/// \throws std::bad_alloc without memory.
/// \note Threads: any. Not from a signal handler. Takes no lock that tasks wait for, so a task that
///   ends meanwhile may or may not be listed.
/// \note Cost: one load for each limit function, counting as many as ever ran at once.
[[nodiscard]] MEMPROF_API std::vector<overdue_task> overdue_tasks(overdue_policy const& policy = {
                                                                      .late = {}});

/// Looks for overdue tasks from a thread of its own while it lives, and calls `callback` there,
/// once for each task: outside of every limit, of malloc and of this library's locks. So it finds
/// tasks that never come to a point where an interrupt could be raised, or a `ceiling` called.
///
///  - `callback`: must not throw, else std::terminate. The destructor waits until it has returned.
/// \note Fork: a child has no such thread.
class overdue_watch {
 public:
  template <class Callback>
  overdue_watch(overdue_policy const& policy, Callback callback)
      : end_(std::make_shared<end_signal>()),
        thread_([policy, callback = std::move(callback), end = end_]() mutable noexcept {
          watch(policy, callback, *end);
        }) {}
  ~overdue_watch() {
    if (getpid() != process_) {
      thread_.detach();
      return;
    }
    {
      const std::lock_guard lock{end_->mutex};
      end_->wanted = true;
    }
    end_->changed.notify_one();
    thread_.join();
  }
  overdue_watch(overdue_watch const&) = delete;
  overdue_watch& operator=(overdue_watch const&) = delete;

 private:
  struct end_signal {
    std::mutex mutex;
    std::condition_variable changed;
    bool wanted = false;
  };

  template <class Callback>
  static void watch(overdue_policy const& policy, Callback& callback, end_signal& end) {
    std::vector<std::uint64_t> reported;
    std::unique_lock lock{end.mutex};
    while (!end.wanted) {
      lock.unlock();
      report_new(policy, callback, reported);
      lock.lock();
      end.changed.wait_for(lock, policy.interval, [&] { return end.wanted; });
    }
  }

  template <class Callback>
  static void report_new(overdue_policy const& policy, Callback& callback,
                         std::vector<std::uint64_t>& reported) {
    std::vector<overdue_task> tasks;
    std::vector<std::uint64_t> numbers;
    try {
      tasks = overdue_tasks(policy);
      for (overdue_task const& task : tasks) numbers.push_back(task.number);
    } catch (std::bad_alloc const&) {
      return;  // the next look may have memory
    }
    for (overdue_task const& task : tasks) {
      if (std::ranges::find(reported, task.number) == reported.end()) callback(task);
    }
    reported = std::move(numbers);
  }

  pid_t process_ = getpid();
  // Of the thread, too: in a forked child nobody destroys a condition that is waited for.
  std::shared_ptr<end_signal> end_;
  std::thread thread_;
};

}  // namespace memprof::inline v0
