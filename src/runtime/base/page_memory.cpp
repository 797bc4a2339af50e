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

int map_pages_at(std::uintptr_t address, std::size_t size, bool accessible) noexcept {
  const int saved_errno = errno;
  // Kernels before 4.17 do not know MAP_FIXED_NOREPLACE, and take the address for a hint.
  void* const memory =
      mmap(reinterpret_cast<void*>(address), size, accessible ? PROT_READ | PROT_WRITE : PROT_NONE,
           MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  int error = 0;
  if (memory == MAP_FAILED) {
    error = errno;
  } else if (reinterpret_cast<std::uintptr_t>(memory) != address) {
    munmap(memory, size);
    error = EEXIST;
  }
  errno = saved_errno;
  return error;
}

void drop_pages(void* memory, std::size_t size) noexcept {
  const int saved_errno = errno;
  madvise(memory, size, MADV_DONTNEED);
  errno = saved_errno;
}

int move_pages(void* from, std::size_t size, void* to, std::size_t new_size) noexcept {
  const int saved_errno = errno;
  void* const moved = mremap(from, size, new_size, MREMAP_MAYMOVE | MREMAP_FIXED, to);
  const int error = moved == MAP_FAILED ? errno : 0;
  errno = saved_errno;
  return error;
}

bool unmap_pages(void* memory, std::size_t size) noexcept {
  const int saved_errno = errno;
  const bool unmapped = munmap(memory, size) == 0;
  errno = saved_errno;
  return unmapped;
}

}  // namespace memprof::base
