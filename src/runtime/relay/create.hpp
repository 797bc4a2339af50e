// SPDX-License-Identifier: MIT
/// \file
/// Makes the memory that records go into: in the recorder, in a running program that a recorder
/// attaches to, or in one that reads them itself.
#pragma once

#include <cerrno>
#include <fcntl.h>
#include <linux/memfd.h>
#include <new>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/base.hpp"
#include "relay/area.hpp"
#include "relay/attach.hpp"

namespace memprof::relay {

#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 0x0008U
#endif

/// Where descriptors are in nobody's way: programs expect the low numbers for themselves.
inline int high_descriptor() noexcept {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur > 1024) return 1000;
  return static_cast<int>(limit.rlim_cur * 3 / 4);
}

/// Sets the size of a file where RLIMIT_FSIZE allows it. Beyond it the kernel would send SIGXFSZ,
/// which ends the program that one attaches to.
inline bool set_size(int file, std::size_t size) noexcept {
  rlimit limit{};
  if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur < size) {
    errno = EFBIG;
    return false;
  }
  return ftruncate(file, static_cast<off_t>(size)) == 0;
}

/// A memfd for a whole `area`: sparse, of that size for ever, closed by exec. The kernel's own
/// calls, none of which is a cancellation point.
///
/// \param failed set to the call's name if the result is -1; errno says why.
inline int create_memory(char const*& failed) noexcept {
  constexpr unsigned flags = MFD_CLOEXEC | MFD_ALLOW_SEALING;
  const auto create = [](unsigned with) {
    return static_cast<int>(syscall(SYS_memfd_create, "memprof", with));
  };
  int made = create(flags | MFD_NOEXEC_SEAL);
  if (made < 0 && errno == EINVAL) made = create(flags);  // before Linux 6.3
  failed = "memfd_create";
  if (made < 0) return -1;
  const auto moved = static_cast<int>(syscall(SYS_fcntl, made, F_DUPFD_CLOEXEC, high_descriptor()));
  if (moved >= 0) {
    syscall(SYS_close, made);
    made = moved;
  }
  failed = "ftruncate";
  if (set_size(made, sizeof(area))) {
    // So that neither side makes the other read beyond its end.
    syscall(SYS_fcntl, made, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW);
    return made;
  }
  const int why = errno;
  syscall(SYS_close, made);
  errno = why;
  return -1;
}

/// Memory of this process alone, with one channel, for what it reads itself. Keeps errno.
inline mapped_area map_private_area() noexcept {
  void* const at = base::map_pages(bytes_with(1));
  if (at == nullptr) return {};
  auto* const made = static_cast<area*>(at);
  ::new (static_cast<void*>(&made->shared)) control{.magic = magic};
  return {made, 1};
}

}  // namespace memprof::relay
