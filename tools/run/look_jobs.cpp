// SPDX-License-Identifier: MIT
#include "tools/run/look_jobs.hpp"

#include <stdexcept>
#include <utility>

namespace memprof::tools {
namespace {

constexpr std::chrono::seconds time_for_look{5};

}  // namespace

void look_jobs::run(std::function<void()> job) {
  entry own{.job = std::move(job)};
  std::unique_lock lock(mutex_);
  waiting_.push_back(&own);
  changed_.wait_for(lock, time_for_look, [&] { return own.done || ended_; });
  if (own.done) {
    if (own.error) std::rethrow_exception(own.error);
    return;
  }
  waiting_.remove(&own);
  throw std::runtime_error(ended_ ? "the program has ended" : "the recorder is busy");
}

bool look_jobs::wait_for_end(std::chrono::seconds duration) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, duration, [&] { return ended_; });
}

void look_jobs::work() noexcept {
  const std::scoped_lock lock(mutex_);
  if (waiting_.empty()) return;
  for (entry* const e : waiting_) {
    try {
      e->job();
    } catch (...) {
      e->error = std::current_exception();
    }
    e->done = true;
  }
  waiting_.clear();
  changed_.notify_all();
}

void look_jobs::end() noexcept {
  const std::scoped_lock lock(mutex_);
  ended_ = true;
  changed_.notify_all();
}

}  // namespace memprof::tools
