// SPDX-License-Identifier: MIT
/// \file
/// The tasks that are running: who they are, and how to stop one.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <memprof/token.hpp>

namespace example::server {

/// A running task, as it is listed.
struct task_info {
  std::uint64_t id;
  std::string expression;
  std::chrono::steady_clock::duration age;
  bool cancelled;
};

/// threads     all members may be called at the same time.
class task_registry {
  struct task;

 public:
  /// Keeps a task listed. Destroy it after the last use of the token and of what it ended.
  class registration {
   public:
    ~registration();
    registration(registration&&) noexcept = default;
    registration& operator=(registration&&) = delete;

    [[nodiscard]] std::uint64_t id() const noexcept;
    /// Set by `cancel`, and when the server stops.
    [[nodiscard]] memprof::token const& token() const noexcept;

   private:
    friend task_registry;
    registration(task_registry& owner, std::shared_ptr<task> t) noexcept;
    task_registry* owner_;
    std::shared_ptr<task> task_;  // null if moved from
  };

  /// most        number of tasks at a time.
  /// shutdown    the parent of every task's token. Both are kept for the registry's lifetime.
  task_registry(std::size_t most, memprof::token const& shutdown);

  /// nullopt if there are too many already.
  std::optional<registration> add(std::string expression);

  [[nodiscard]] std::vector<task_info> list() const;
  [[nodiscard]] std::size_t size() const;

  /// Sets the token of the task. The first reason given stays.
  /// returns     false if there is no such task (any more).
  bool cancel(std::uint64_t id, std::string reason);

 private:
  std::size_t const most_;
  memprof::token const shutdown_;
  std::mutex mutable mutex_;  // guards all below, and the reason of each task
  std::uint64_t last_id_ = 0;
  std::map<std::uint64_t, std::shared_ptr<task>> tasks_;
};

}  // namespace example::server
