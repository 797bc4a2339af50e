// SPDX-License-Identifier: MIT
/// \file
/// Whether a process that is not our child has ended.
#pragma once

#include <cerrno>
#include <csignal>
#include <poll.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>
#include <utility>

namespace memprof::recorder {

class followed_process {
 public:
  /// visible     its id names it here, too; otherwise nothing is known of its end.
  followed_process(pid_t process, bool visible) noexcept : process_(process), visible_(visible) {
    if (!visible) return;
    descriptor_ = static_cast<int>(syscall(SYS_pidfd_open, process, 0));
    if (descriptor_ < 0 && errno == ESRCH) ended_ = true;
  }
  ~followed_process() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  followed_process(followed_process&& other) noexcept
      : process_(other.process_),
        visible_(other.visible_),
        ended_(other.ended_),
        descriptor_(std::exchange(other.descriptor_, -1)) {}
  followed_process& operator=(followed_process&& other) noexcept {
    std::swap(process_, other.process_);
    std::swap(visible_, other.visible_);
    std::swap(ended_, other.ended_);
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }

  [[nodiscard]] bool visible() const noexcept { return visible_; }

  /// True once none of its threads runs any more.
  bool has_ended() noexcept {
    if (ended_ || !visible_) return ended_;
    pollfd one{.fd = descriptor_, .events = POLLIN, .revents = 0};
    const int ready = descriptor_ >= 0 ? poll(&one, 1, 0) : -1;
    // Without a descriptor (before Linux 5.3, or out of them): a little later, when it is reaped.
    ended_ = ready >= 0 ? ready == 1 : kill(process_, 0) != 0 && errno == ESRCH;
    return ended_;
  }

 private:
  pid_t process_;
  bool visible_;
  bool ended_ = false;
  int descriptor_ = -1;
};

}  // namespace memprof::recorder
