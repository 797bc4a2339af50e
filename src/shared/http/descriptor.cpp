// SPDX-License-Identifier: MIT
#include "http/descriptor.hpp"

#include <pthread.h>
#include <unistd.h>
#include <utility>

namespace memprof::http {
namespace {

constinit std::mutex open_guard;
constinit descriptor* open_descriptors = nullptr;

}  // namespace

/// In the child only the thread that forked is there, and it holds the lock.
struct closing_in_children {
  static void run() noexcept {
    while (open_descriptors != nullptr) {
      descriptor& d = *open_descriptors;
      close(d.number_);
      d.unlink();
    }
    open_guard.unlock();
  }
};

namespace {

[[maybe_unused]] int const watching_fork_for_descriptors = pthread_atfork(
    [] { open_guard.lock(); }, [] { open_guard.unlock(); }, &closing_in_children::run);

}  // namespace

std::mutex& descriptor::guard() noexcept { return open_guard; }

void descriptor::link(int number) noexcept {
  if (number < 0) return;
  number_ = number;
  next_ = std::exchange(open_descriptors, this);
  if (next_ != nullptr) next_->previous_ = this;
}

void descriptor::unlink() noexcept {
  (previous_ != nullptr ? previous_->next_ : open_descriptors) = next_;
  if (next_ != nullptr) next_->previous_ = previous_;
  next_ = previous_ = nullptr;
  number_ = -1;
}

descriptor::descriptor(int number) noexcept {
  const std::lock_guard lock(open_guard);
  link(number);
}

descriptor::descriptor(descriptor&& other) noexcept {
  const std::lock_guard lock(open_guard);
  const int number = other.number_;
  if (number < 0) return;
  other.unlink();
  link(number);
}

descriptor::~descriptor() {
  const std::lock_guard lock(open_guard);
  if (number_ < 0) return;
  close(number_);
  unlink();
}

}  // namespace memprof::http
