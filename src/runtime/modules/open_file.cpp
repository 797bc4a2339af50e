// SPDX-License-Identifier: MIT
#include "modules/open_file.hpp"

#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/base.hpp"

namespace memprof::modules {
namespace {

// Through syscall(): open, read and close are cancellation points, and may be wrapped.
template <class... Arguments>
long call(long number, Arguments... arguments) noexcept {
  long result = 0;
  do {
    result = syscall(number, arguments...);
  } while (result == -1 && errno == EINTR && number != SYS_close);
  return result;
}

}  // namespace

file_part::~file_part() {
  if (data_ != nullptr) base::unmap_pages(data_, size_ + 1);
}

open_file::open_file(char const* path) noexcept {
  // Without waiting for the other end of what is no file.
  descriptor_ = static_cast<int>(
      call(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0));
  if (descriptor_ < 0) return;
  struct stat status = {};
  if (call(SYS_fstat, descriptor_, &status) != 0 || !S_ISREG(status.st_mode)) return;
  size_ = static_cast<std::uint64_t>(status.st_size);
  regular_ = true;
}

open_file::~open_file() {
  if (descriptor_ >= 0) call(SYS_close, descriptor_);
}

bool open_file::read_into(std::uint64_t offset, void* to, std::size_t size) const noexcept {
  if (offset > size_ || size > size_ - offset) return false;
  auto* at = static_cast<unsigned char*>(to);
  while (size != 0) {
    const long got = call(SYS_pread64, descriptor_, at, size, offset);
    if (got <= 0) return false;  // 0: it was truncated meanwhile
    const auto taken = static_cast<std::size_t>(got);
    at += taken;
    offset += taken;
    size -= taken;
  }
  return true;
}

bool open_file::read(std::uint64_t offset, std::uint64_t size, file_part& part) const noexcept {
  if (part.data_ != nullptr) base::unmap_pages(part.data_, part.size_ + 1);
  part.data_ = nullptr;
  part.size_ = 0;
  if (size == 0 || offset > size_ || size > size_ - offset) return false;
  void* memory = base::map_pages(size + 1);
  if (memory == nullptr) {
    lacked_memory_ = true;
    return false;
  }
  if (!read_into(offset, memory, size)) {
    base::unmap_pages(memory, size + 1);
    return false;
  }
  part.data_ = static_cast<unsigned char*>(memory);
  part.size_ = size;
  return true;
}

}  // namespace memprof::modules
