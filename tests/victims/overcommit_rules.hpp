// SPDX-License-Identifier: MIT
/// \file
/// The rules of ClickHouse's OvercommitTracker (src/Common/OvercommitTracker.cpp, 2022), written
/// anew, over a counter that is exact. What they do with a request that would pass the limit:
///
///  - If no task is being stopped, the one with the most memory is chosen (the ratios of all tasks
///    have one denominator here, as by default). It is stopped at its next request.
///  - The task that asked waits, 5 s at most, until the tasks have freed as much as all that wait
///    ask for. Then all of these are served.
///  - If the time is up, or the chosen task ended and that was not enough, the task that waits is
///    stopped.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <new>
#include <vector>

namespace victims {

class overcommit_rules {
 public:
  struct task {
    std::atomic<std::int64_t> bytes{0};
  };

  explicit overcommit_rules(std::int64_t limit) : limit_(limit) {}

  void begin(task& t) {
    const std::lock_guard lock(mutex_);
    tasks_.push_back(&t);
  }
  void end(task& t) {
    const std::lock_guard lock(mutex_);
    std::erase(tasks_, &t);
    if (chosen_ != &t) return;
    reset();
    released_.notify_all();
  }

  /// Before a block is obtained. Throws std::bad_alloc if the task is stopped.
  void request(task& t, std::int64_t size) {
    if (total_.fetch_add(size) + size > limit_ && must_stop(t, size)) {
      total_ -= size;
      throw std::bad_alloc();
    }
    t.bytes += size;
  }
  void release(task& t, std::int64_t size) {
    total_ -= size;
    t.bytes -= size;
    const std::lock_guard lock(mutex_);
    if (chosen_ == nullptr) return;
    freed_ += size;
    if (freed_ >= required_) serve_waiting();
  }

 private:
  void reset() {
    chosen_ = nullptr;
    freed_ = 0;
  }
  void serve_waiting() {
    served_before_ = next_ticket_;
    freed_ = 0;
    released_.notify_all();
  }
  bool must_stop(task& t, std::int64_t size) {
    using namespace std::chrono_literals;
    std::unique_lock lock(mutex_);
    if (chosen_ == nullptr) {
      chosen_ = *std::max_element(tasks_.begin(), tasks_.end(),
                                  [](task const* a, task const* b) { return a->bytes < b->bytes; });
    }
    if (chosen_ == &t) return true;
    const std::uint64_t ticket = next_ticket_++;
    required_ += size;
    released_.wait_for(lock, 5s, [&] { return ticket < served_before_ || chosen_ == nullptr; });
    required_ -= size;
    return ticket >= served_before_;
  }

  std::int64_t const limit_;
  std::atomic<std::int64_t> total_{0};
  std::mutex mutex_;  // guards what follows
  std::condition_variable released_;
  std::vector<task*> tasks_;
  task* chosen_ = nullptr;
  std::int64_t freed_ = 0;     // since the choice or the last release
  std::int64_t required_ = 0;  // by those that wait
  std::uint64_t next_ticket_ = 0;
  std::uint64_t served_before_ = 0;
};

}  // namespace victims
