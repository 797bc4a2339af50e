// SPDX-License-Identifier: MIT
#include "tools/run/process_group.hpp"

#include <algorithm>
#include <csignal>

namespace memprof::tools {

void process_group::set(pid_t first, std::vector<pid_t> const& others) {
  first_ = first;
  others_ = others;
  std::erase(others_, first);
}

void process_group::signal(int number) const noexcept {
  for (const pid_t p : others_) kill(p, number);
  if (first_ > 0) kill(first_, number);
}

void process_group::stop() noexcept {
  {
    const std::scoped_lock lock(mutex_);
    stopped_ = others_;
  }
  signal(SIGSTOP);
}

void process_group::continue_others() noexcept {
  const std::scoped_lock lock(mutex_);
  for (const pid_t p : stopped_) kill(p, SIGCONT);
  stopped_.clear();
}

}  // namespace memprof::tools
