// SPDX-License-Identifier: MIT
#include "recorder/trace_output.hpp"

#include <cerrno>
#include <fcntl.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace memprof::recorder {

trace_output::trace_output(std::string name)
    : name_(std::move(name)),
      descriptor_(
          ::open(name_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY, 0600)) {
  if (descriptor_ < 0) {
    throw std::system_error(errno, std::generic_category(), "cannot open trace file " + name_);
  }
}

trace_output::~trace_output() { ::close(descriptor_); }

void trace_output::write(std::span<std::byte const> packet) {
  std::size_t done = 0;
  while (done < packet.size()) {
    const ssize_t n = ::write(descriptor_, packet.data() + done, packet.size() - done);
    if (n > 0) {
      done += static_cast<std::size_t>(n);
    } else if (n == 0 || errno != EINTR) {
      const int reason = n == 0 ? EIO : errno;
      // A part of a packet would be reported as damage by every reader.
      [[maybe_unused]] const int cut = ::ftruncate(descriptor_, static_cast<off_t>(size_));
      throw std::system_error(reason, std::generic_category(), "cannot write trace file " + name_);
    }
  }
  size_ += packet.size();
}

}  // namespace memprof::recorder
