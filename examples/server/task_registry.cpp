// SPDX-License-Identifier: MIT
#include "task_registry.hpp"

#include <utility>

namespace example::server {

struct task_registry::task {
  std::uint64_t id;
  std::string expression;
  std::chrono::steady_clock::time_point start;
  memprof::token token;
  std::string reason;  ///< the token refers to it; not changed once it is set
};

task_registry::registration::registration(task_registry& owner, std::shared_ptr<task> t) noexcept
    : owner_(&owner), task_(std::move(t)) {}

task_registry::registration::~registration() {
  if (!task_) return;
  std::lock_guard const lock(owner_->mutex_);
  owner_->tasks_.erase(task_->id);
}

std::uint64_t task_registry::registration::id() const noexcept { return task_->id; }
memprof::token const& task_registry::registration::token() const noexcept { return task_->token; }

task_registry::task_registry(std::size_t most, memprof::token const& shutdown)
    : most_(most), shutdown_(shutdown) {}

std::optional<task_registry::registration> task_registry::add(std::string expression) {
  // A token of its own: setting it stops this task only.
  auto t = std::make_shared<task>(
      task{0, std::move(expression), std::chrono::steady_clock::now(), shutdown_.child(), {}});
  std::lock_guard const lock(mutex_);
  if (tasks_.size() >= most_) return std::nullopt;
  t->id = ++last_id_;
  tasks_.emplace(t->id, t);
  return registration(*this, std::move(t));
}

std::vector<task_info> task_registry::list() const {
  auto const now = std::chrono::steady_clock::now();
  std::lock_guard const lock(mutex_);
  std::vector<task_info> result;
  result.reserve(tasks_.size());
  for (auto const& [id, t] : tasks_) {
    result.push_back({id, t->expression, now - t->start, t->token.is_set()});
  }
  return result;
}

std::size_t task_registry::size() const {
  std::lock_guard const lock(mutex_);
  return tasks_.size();
}

bool task_registry::cancel(std::uint64_t id, std::string reason) {
  std::lock_guard const lock(mutex_);
  auto const found = tasks_.find(id);
  if (found == tasks_.end()) return false;
  task& t = *found->second;
  if (t.reason.empty()) {
    t.reason = std::move(reason);
    t.token.set(t.reason.c_str());
  }
  return true;
}

}  // namespace example::server
