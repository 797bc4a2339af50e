// SPDX-License-Identifier: MIT
#include "base/page_memory.hpp"

#include <cerrno>
#include <sys/mman.h>
#include <unistd.h>

namespace memprof::base {

std::size_t whole_pages(std::size_t size) noexcept {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return (size + page - 1) & ~(page - 1);
}

void* map_pages(std::size_t size) noexcept {
  const int saved_errno = errno;
  void* memory = mmap(nullptr, size, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  errno = saved_errno;
  return memory == MAP_FAILED ? nullptr : memory;
}

void* map_sparse_pages(std::size_t size) noexcept {
  void* const memory = map_pages(size);
  if (memory == nullptr) return nullptr;
  const int saved_errno = errno;
  madvise(memory, size, MADV_NOHUGEPAGE);  // refused by a kernel that has no huge pages
  errno = saved_errno;
  return memory;
}

void unmap_pages(void* memory, std::size_t size) noexcept {
  const int saved_errno = errno;
  munmap(memory, size);
  errno = saved_errno;
}

}  // namespace memprof::base
