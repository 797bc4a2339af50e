// SPDX-License-Identifier: MIT
#include "base/sleep_uncancellable.hpp"

#include <cerrno>
#include <ctime>
#include <sys/syscall.h>
#include <unistd.h>

namespace memprof::base {

void sleep_uncancellable(std::int32_t microseconds) noexcept {
  const int saved_errno = errno;
  const timespec duration{.tv_sec = 0, .tv_nsec = long{microseconds} * 1000};
  // Only a signal can make it fail.
  syscall(SYS_nanosleep, &duration, nullptr);
  errno = saved_errno;
}

}  // namespace memprof::base
