// SPDX-License-Identifier: MIT
#include "recorder/trace_output.hpp"

#include <cerrno>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "trace/trace.hpp"

namespace memprof::recorder {
namespace {

int opened(std::string const& name, bool there) try {
  return there ? trace::open_pipe_or_device(name) : trace::create_file(name);
} catch (std::system_error const& e) {
  throw std::system_error(e.code(), "cannot open trace file " + name);
}

}  // namespace

trace_output::trace_output(std::string name, bool there)
    : name_(std::move(name)), descriptor_(opened(name_, there)) {}

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

void trace_output::restart() {
  size_ = 0;
  // Of a pipe or device what was written is gone.
  [[maybe_unused]] const int cut = ::ftruncate(descriptor_, 0);
  ::lseek(descriptor_, 0, SEEK_SET);
}

}  // namespace memprof::recorder
