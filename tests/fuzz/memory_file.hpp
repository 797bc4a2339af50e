// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <cstdlib>
#include <span>
#include <sys/mman.h>
#include <unistd.h>

namespace memprof_fuzz {

/// A descriptor, at its beginning, of a file in memory with these bytes.
inline int memory_file(std::span<std::byte const> bytes) {
  int const descriptor = ::memfd_create("trace", MFD_CLOEXEC);
  if (descriptor < 0) std::abort();
  for (std::size_t at = 0; at < bytes.size();) {
    ssize_t const n = ::write(descriptor, bytes.data() + at, bytes.size() - at);
    if (n <= 0) std::abort();
    at += static_cast<std::size_t>(n);
  }
  if (::lseek(descriptor, 0, SEEK_SET) != 0) std::abort();
  return descriptor;
}

}  // namespace memprof_fuzz
