// SPDX-License-Identifier: MIT
#include "tools/run/stall_trigger.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

namespace memprof::tools {
namespace {

// Microseconds of stalls, and of the window.
constexpr char in_a_second[] = "some 100000 1000000";
constexpr char in_two_seconds[] = "some 200000 2000000";

/// With the zero at its end, which the kernel wants.
template <std::size_t N>
bool ask(int descriptor, char const (&trigger)[N]) {
  return write(descriptor, trigger, N) == static_cast<ssize_t>(N);
}

}  // namespace

stall_trigger::stall_trigger(std::filesystem::path const& file)
    : descriptor_(open(file.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC)) {
  if (descriptor_ >= 0 && (ask(descriptor_, in_a_second) || ask(descriptor_, in_two_seconds))) {
    return;
  }
  why_not_ = file.string() + ": " + std::strerror(errno);
  if (descriptor_ >= 0) close(descriptor_);
  descriptor_ = -1;
}

stall_trigger::~stall_trigger() {
  if (descriptor_ >= 0) close(descriptor_);
}

bool stall_trigger::fired() {
  if (descriptor_ < 0) return false;
  pollfd p{.fd = descriptor_, .events = POLLPRI, .revents = 0};
  if (poll(&p, 1, 0) <= 0) return false;
  if ((p.revents & POLLERR) != 0) {  // the group is gone
    close(descriptor_);
    descriptor_ = -1;
    return false;
  }
  return (p.revents & POLLPRI) != 0;
}

}  // namespace memprof::tools
