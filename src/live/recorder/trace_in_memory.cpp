// SPDX-License-Identifier: MIT
#include "recorder/trace_in_memory.hpp"

#include <cerrno>
#include <sys/mman.h>
#include <system_error>
#include <unistd.h>

namespace memprof::recorder {

trace_in_memory::trace_in_memory() : descriptor_(memfd_create("memprof-report", MFD_CLOEXEC)) {
  if (descriptor_ < 0) {
    throw std::system_error(errno, std::generic_category(), "the report's memory");
  }
}

trace_in_memory::~trace_in_memory() { ::close(descriptor_); }

void trace_in_memory::write(std::span<std::byte const> bytes) const {
  while (!bytes.empty()) {
    const ssize_t n = ::write(descriptor_, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) throw std::system_error(errno, std::generic_category(), "the report's memory");
    bytes = bytes.subspan(static_cast<std::size_t>(n));
  }
}

std::string trace_in_memory::file() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

}  // namespace memprof::recorder
