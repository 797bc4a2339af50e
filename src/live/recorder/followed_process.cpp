// SPDX-License-Identifier: MIT
#include "recorder/followed_process.hpp"

#include <cerrno>
#include <csignal>
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <utility>

#include "recorder/process_facts.hpp"

namespace memprof::recorder {

followed_process::followed_process(pid_t process, bool visible) noexcept
    : process_(process), visible_(visible && process > 0) {
  if (!visible_) return;
  descriptor_ = static_cast<int>(syscall(SYS_pidfd_open, process, 0));
  if (descriptor_ >= 0) return;
  if (errno == ESRCH) ended_ = true;
  // Before Linux 5.3, or out of descriptors.
  started_ = look_at_process(process).started;
}

followed_process::~followed_process() {
  if (descriptor_ >= 0) close(descriptor_);
}

followed_process::followed_process(followed_process&& other) noexcept
    : process_(other.process_),
      visible_(other.visible_),
      ended_(other.ended_),
      descriptor_(std::exchange(other.descriptor_, -1)),
      started_(other.started_) {}

followed_process& followed_process::operator=(followed_process&& other) noexcept {
  std::swap(process_, other.process_);
  std::swap(visible_, other.visible_);
  std::swap(ended_, other.ended_);
  std::swap(descriptor_, other.descriptor_);
  std::swap(started_, other.started_);
  return *this;
}

bool followed_process::has_ended() noexcept {
  if (ended_ || !visible_) return ended_;
  pollfd one{.fd = descriptor_, .events = POLLIN, .revents = 0};
  const int ready = descriptor_ >= 0 ? poll(&one, 1, 0) : -1;
  // Without a descriptor: a little later, when it is reaped.
  ended_ = ready >= 0 ? ready == 1 : kill(process_, 0) != 0 && errno == ESRCH;
  return ended_;
}

void followed_process::signal(int number) noexcept {
  if (has_ended() || !visible_ || process_ <= 1 || process_ == getpid() || process_ == getppid()) {
    return;
  }
  if (descriptor_ >= 0) {
    syscall(SYS_pidfd_send_signal, descriptor_, number, nullptr, 0);
  } else if (started_ != 0 && look_at_process(process_).started == started_) {
    kill(process_, number);
  }
}

}  // namespace memprof::recorder
