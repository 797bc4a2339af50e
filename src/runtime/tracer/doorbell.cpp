// SPDX-License-Identifier: MIT
#include "tracer/doorbell.hpp"

#include <cerrno>
#include <ctime>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace memprof::tracer {

void doorbell::wait(std::uint32_t milliseconds) noexcept {
  const std::uint32_t expected = milliseconds == 0 ? sleeping : napping;
  const timespec duration{.tv_sec = milliseconds / 1000,
                          .tv_nsec = static_cast<long>(milliseconds % 1000) * 1'000'000};
  syscall(SYS_futex, &state_, FUTEX_WAIT_PRIVATE, expected, milliseconds == 0 ? nullptr : &duration,
          nullptr, 0);
}

void doorbell::wake() noexcept {
  if (state_.exchange(awake, std::memory_order_relaxed) == awake) return;  // another one did
  const int saved_errno = errno;
  syscall(SYS_futex, &state_, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
  errno = saved_errno;
}

}  // namespace memprof::tracer
