// SPDX-License-Identifier: MIT
#include "tools/run/process_group.hpp"

#include <csignal>
#include <utility>

namespace memprof::tools {

void process_group::begin(pid_t program) {
  all_.emplace(program);
  first_.emplace(program, true);
}

void process_group::signal(int number) {
  for (recorder::followed_process& p : all_->others()) p.signal(number);
  first_->signal(number);
}

void process_group::stop() {
  std::vector<recorder::followed_process> others = all_->others();
  for (recorder::followed_process& p : others) p.signal(SIGSTOP);
  {
    const std::scoped_lock lock(mutex_);
    stopped_ = std::move(others);
  }
  first_->signal(SIGSTOP);
}

void process_group::continue_others() {
  const std::scoped_lock lock(mutex_);
  for (recorder::followed_process& p : stopped_) p.signal(SIGCONT);
  stopped_.clear();
}

}  // namespace memprof::tools
