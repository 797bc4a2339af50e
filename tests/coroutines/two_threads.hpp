// SPDX-License-Identifier: MIT
/// \file
/// Two threads that resume coroutines, and one to hop between them; allocates nothing meanwhile.
#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <coroutine>
#include <cstddef>
#include <mutex>
#include <thread>

namespace memprof::test {

class two_threads {
 public:
  two_threads() {
    for (std::size_t i = 0; i < 2; ++i) workers_[i] = std::thread([this, i] { work(i); });
  }
  ~two_threads() { join(); }
  two_threads(two_threads const&) = delete;
  two_threads& operator=(two_threads const&) = delete;

  /// Resumes `h` on thread i.
  void resume_on(std::size_t i, std::coroutine_handle<> h) {
    const std::lock_guard lock(mutex_);
    queues_[i].waiting[queues_[i].size++] = h;
    changed_.notify_all();
  }

  /// co_await hop(i): goes on on thread i.
  auto hop(std::size_t i) {
    struct awaiter {
      two_threads& threads;
      std::size_t to;
      [[nodiscard]] bool await_ready() const noexcept { return false; }
      void await_suspend(std::coroutine_handle<> h) const { threads.resume_on(to, h); }
      void await_resume() const noexcept {}
    };
    return awaiter{*this, i};
  }

  void join() {
    {
      const std::lock_guard lock(mutex_);
      over_ = true;
      changed_.notify_all();
    }
    for (auto& worker : workers_) {
      if (worker.joinable()) worker.join();
    }
  }

 private:
  struct queue {
    std::array<std::coroutine_handle<>, 16> waiting{};
    std::size_t size = 0;
  };

  void work(std::size_t i) {
    std::unique_lock lock(mutex_);
    while (true) {
      changed_.wait(lock, [&] { return over_ || queues_[i].size > 0; });
      if (queues_[i].size == 0) return;
      const std::coroutine_handle<> next = queues_[i].waiting[--queues_[i].size];
      lock.unlock();
      next.resume();
      lock.lock();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::array<queue, 2> queues_;
  bool over_ = false;
  std::array<std::thread, 2> workers_;
};

}  // namespace memprof::test
