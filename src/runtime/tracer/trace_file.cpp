// SPDX-License-Identifier: MIT
#include "tracer/trace_file.hpp"

#include <cerrno>
#include <climits>
#include <fcntl.h>
#include <linux/close_range.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace memprof::tracer {
namespace {

/// Programs expect lower descriptors for themselves.
constexpr int lowest_hidden = 3;
constexpr int lowest_shared = 512;

/// Gives this thread an empty table of descriptors. False: it still shares the program's.
bool take_own_descriptors() noexcept {
  // By number: the C library may be older than the kernel.
  if (syscall(SYS_close_range, 0u, UINT_MAX, CLOSE_RANGE_UNSHARE) == 0) return true;
  if (unshare(CLONE_FILES) != 0) return false;
  rlimit limit{};
  const bool known = getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < 65536;
  const int end = known ? static_cast<int>(limit.rlim_cur) : 65536;
  for (int i = 0; i < end; ++i) ::close(i);
  return true;
}

/// The same file under a number of at least `lowest`, or where it was.
int moved(int descriptor, int lowest) noexcept {
  if (descriptor >= lowest) return descriptor;
  const int other = fcntl(descriptor, F_DUPFD_CLOEXEC, lowest);
  if (other < 0) return descriptor;
  ::close(descriptor);
  return other;
}

/// False, and errno, if another process has it locked.
bool lock_whole(int descriptor) noexcept {
  struct flock whole {};
  whole.l_type = F_WRLCK;
  whole.l_whence = SEEK_SET;
  if (fcntl(descriptor, F_SETLK, &whole) == 0) return true;
  return errno != EACCES && errno != EAGAIN;  // a file system without locks: not locked
}

/// -1, and errno. A link is followed if it belongs to this user or to root (/dev/stdout).
int open_for_writing(char const* name) noexcept {
  constexpr int how = O_WRONLY | O_CLOEXEC | O_NOCTTY;
  int opened = ::open(name, how | O_CREAT | O_EXCL | O_NOFOLLOW, 0600);
  if (opened >= 0 || errno != EEXIST) return opened;
  opened = ::open(name, how | O_NOFOLLOW);
  if (opened >= 0 || errno != ELOOP) return opened;
  struct stat link {};
  if (lstat(name, &link) != 0) return -1;
  if (link.st_uid == geteuid() || link.st_uid == 0) return ::open(name, how | O_CREAT, 0600);
  errno = ELOOP;
  return -1;
}

}  // namespace

outcome trace_file::open(char const* name) noexcept {
  hidden_ = take_own_descriptors();
  size_ = 0;
  const int opened = open_for_writing(name);
  if (opened < 0) return {step::open, errno};
  descriptor_ = moved(opened, hidden_ ? lowest_hidden : lowest_shared);
  struct stat status {};
  if (fstat(descriptor_, &status) == 0) {
    device_ = status.st_dev;
    inode_ = status.st_ino;
  }
  if (!lock_whole(descriptor_)) {
    const int reason = errno;
    close();
    return {step::lock, reason};
  }
  [[maybe_unused]] const int emptied = ftruncate(descriptor_, 0);  // /dev/null cannot be
  return {};
}

bool trace_file::still_ours() const noexcept {
  struct stat status {};
  return fstat(descriptor_, &status) == 0 && status.st_dev == device_ && status.st_ino == inode_;
}

outcome trace_file::write(std::span<std::byte const> packet) noexcept {
  if (!hidden_ && !still_ours()) {
    descriptor_ = -1;
    return {step::write, EBADF};
  }
  std::size_t done = 0;
  while (done < packet.size()) {
    const ssize_t n = ::write(descriptor_, packet.data() + done, packet.size() - done);
    if (n > 0) {
      done += static_cast<std::size_t>(n);
    } else if (n == 0 || errno != EINTR) {
      const int reason = n == 0 ? EIO : errno;
      // A part of a packet would be reported as damage by every reader.
      [[maybe_unused]] const int cut = ftruncate(descriptor_, static_cast<off_t>(size_));
      return {step::write, reason};
    }
  }
  size_ += packet.size();
  return {};
}

void trace_file::close() noexcept {
  if (descriptor_ >= 0 && (hidden_ || still_ours())) ::close(descriptor_);
  descriptor_ = -1;
}

}  // namespace memprof::tracer
