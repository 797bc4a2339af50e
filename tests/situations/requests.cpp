// SPDX-License-Identifier: MIT
// Requests that allocators answer in a certain way.
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <malloc.h>
#include <new>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>
#include <vector>

#include "situation.hpp"

#define SITUATION(name) MEMPROF_SITUATION_IN("requests", name)

namespace {

using situations::check;
using situations::say;
using situations::work;

/// Hides a size from the compiler, which knows what malloc does with such.
std::size_t hidden(std::size_t size) {
  std::size_t volatile s = size;
  return s;
}

SITUATION(too_large) {
  for (std::size_t const size : {SIZE_MAX, SIZE_MAX / 2, SIZE_MAX - 4095, std::size_t{1} << 62}) {
    errno = 0;
    void* const p = std::malloc(hidden(size));
    say("malloc: %d, errno %d", p != nullptr, errno);
    errno = 0;
    void* const q = std::calloc(hidden(size), 16);
    say("calloc: %d, errno %d", q != nullptr, errno);
    void* const small = std::malloc(10);
    errno = 0;
    void* const grown = std::realloc(small, hidden(size));
    say("realloc: %d, errno %d", grown != nullptr, errno);
    std::free(small);
    try {
      ::operator delete(::operator new(hidden(size)));
      say("new returned");
    } catch (std::bad_alloc const&) {
      say("bad_alloc");
    }
    say("nothrow: %d", ::operator new(hidden(size), std::nothrow) != nullptr);
  }
  return 0;
}

SITUATION(nothing_requested) {
  void* const a = std::malloc(hidden(0));
  void* const b = std::malloc(hidden(0));
  say("malloc(0): %d, different: %d", a != nullptr, a != b);
  std::free(a);
  std::free(b);
  void* const c = std::calloc(hidden(0), hidden(5));
  void* const d = ::operator new(hidden(0));
  say("calloc: %d, new: %d", c != nullptr, d != nullptr);
  std::free(c);
  ::operator delete(d);
  void* const e = std::realloc(nullptr, hidden(100));
  say("realloc of nothing: %d", e != nullptr);
  say("realloc to nothing: %d", std::realloc(e, hidden(0)) != nullptr);
  std::free(nullptr);
  ::operator delete(nullptr);
  return 0;
}

SITUATION(wrong_alignments) {
  void* p = nullptr;
  for (std::size_t const alignment : {0, 1, 3, 7, 12, 24}) {
    say("posix_memalign(%zu): %d", alignment, posix_memalign(&p, hidden(alignment), 100));
  }
  for (std::size_t alignment = 8; alignment <= std::size_t{1} << 22; alignment *= 2) {
    check(posix_memalign(&p, alignment, 100) == 0, "posix_memalign");
    check(reinterpret_cast<std::uintptr_t>(p) % alignment == 0, "aligned");
    std::memset(p, 1, 100);
    std::free(p);
    p = std::aligned_alloc(alignment, alignment * 2);
    check(reinterpret_cast<std::uintptr_t>(p) % alignment == 0, "aligned");
    std::memset(p, 2, alignment * 2);
    std::free(p);
    p = ::operator new (alignment + 1, std::align_val_t{alignment});
    check(reinterpret_cast<std::uintptr_t>(p) % alignment == 0, "aligned");
    ::operator delete (p, alignment + 1, std::align_val_t{alignment});
  }
  p = valloc(10);
  check(reinterpret_cast<std::uintptr_t>(p) % 4096 == 0, "valloc");
  std::free(p);
  p = pvalloc(10);
  check(malloc_usable_size(p) >= 4096, "pvalloc");
  std::free(p);
  return 0;
}

SITUATION(errno_is_kept) {
  errno = 77;
  for (std::size_t size = 1; size < 300'000; size = size * 5 / 4 + 1) {
    void* const p = std::malloc(size);
    check(errno == 77, "errno after malloc");
    void* const q = std::realloc(p, size * 2);
    check(errno == 77, "errno after realloc");
    std::free(q);
    check(errno == 77, "errno after free");
  }
  say("errno %d", errno);
  return 0;
}

SITUATION(usable_size_is_usable) {
  std::size_t least = 1000;
  for (std::size_t size = 0; size < 5000; size += 7) {
    void* const p = std::malloc(size);
    std::size_t const usable = malloc_usable_size(p);
    check(usable >= size, "usable");
    std::memset(p, 5, usable);
    least = std::min(least, usable - size);
    std::free(p);
  }
  say("usable_size(null) %zu", malloc_usable_size(nullptr));
  return 0;
}

SITUATION(growing_realloc) {
  std::size_t n = 8;
  auto* p = static_cast<unsigned char*>(std::malloc(n));
  for (std::size_t i = 0; i < n; ++i) p[i] = static_cast<unsigned char>(i * 13);
  while (n < std::size_t{16} << 20) {
    std::size_t const more = n * 3 / 2 + 1;
    p = static_cast<unsigned char*>(std::realloc(p, more));
    for (std::size_t i = 0; i < n; i += 101)
      check(p[i] == static_cast<unsigned char>(i * 13), "moved");
    for (std::size_t i = n; i < more; ++i) p[i] = static_cast<unsigned char>(i * 13);
    n = more;
  }
  while (n > 20) {
    n = n / 3;
    p = static_cast<unsigned char*>(std::realloc(p, n));
    for (std::size_t i = 0; i < n; i += 101)
      check(p[i] == static_cast<unsigned char>(i * 13), "moved");
  }
  std::free(p);
  say("grown and shrunk");
  return 0;
}

SITUATION(zeroed) {
  for (int round = 0; round < 50; ++round) {
    for (std::size_t size : {8ul, 100ul, 5000ul, 200'000ul}) {
      auto* const p = static_cast<char*>(std::calloc(1, size));
      for (std::size_t i = 0; i < size; ++i) check(p[i] == 0, "zeroed");
      std::memset(p, 1, size);
      std::free(p);
    }
  }
  say("zeroed");
  return 0;
}

SITUATION(new_handler_called) {
  static int calls = 0;
  std::set_new_handler([] {
    if (++calls == 3) std::set_new_handler(nullptr);
    work(1, 20);
  });
  try {
    ::operator delete(::operator new(hidden(SIZE_MAX / 4)));
  } catch (std::bad_alloc const&) {
    say("bad_alloc after %d calls", calls);
  }
  return 0;
}

SITUATION(own_break) {
  auto* const mine = static_cast<char*>(sbrk(1 << 20));
  work(2, 300);
  std::memset(mine, 3, 1 << 20);
  std::uint32_t const sum = work(3, 300);
  int bad = 0;
  for (int i = 0; i < 1 << 20; ++i) bad += mine[i] != 3;
  say("sum %u, %d bytes changed", sum, bad);
  return 0;
}

SITUATION(protected_blocks) {
  std::size_t const page = 4096;
  for (int i = 0; i < 50; ++i) {
    auto* const p = static_cast<char*>(std::aligned_alloc(page, 4 * page));
    std::memset(p, i, 4 * page);
    check(mprotect(p, 4 * page, PROT_READ) == 0, "mprotect");
    work(4, 20);
    check(p[page] == i, "kept");
    check(mprotect(p, 4 * page, PROT_READ | PROT_WRITE) == 0, "mprotect");
    madvise(p, 4 * page, MADV_DONTNEED);
    check(p[page] == 0, "dropped");
    std::free(p);
  }
  say("protected and dropped");
  return 0;
}

SITUATION(system_calls_on_blocks) {
  int ends[2];
  check(pipe(ends) == 0, "pipe");
  std::uint32_t sum = 0;
  for (std::size_t size = 1; size < 60'000; size = size * 3 / 2 + 1) {
    std::vector<char> out(size, static_cast<char>(size));
    std::vector<char> in(size);
    check(write(ends[1], out.data(), size) == static_cast<ssize_t>(size), "write");
    check(read(ends[0], in.data(), size) == static_cast<ssize_t>(size), "read");
    check(in == out, "the same");
    iovec const from{out.data(), size};
    iovec const to{in.data(), size};
    check(process_vm_readv(getpid(), &to, 1, &from, 1, 0) == static_cast<ssize_t>(size),
          "process_vm_readv");
    sum += static_cast<std::uint32_t>(size);
  }
  say("sum %u", sum);
  return 0;
}

// Takes most of the addresses, those of our range too if nobody is there.
SITUATION(taken_addresses) {
  std::size_t taken = 0;
  for (std::size_t size = std::size_t{1} << 46; size >= std::size_t{1} << 30; size /= 2) {
    while (mmap(nullptr, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0) !=
           MAP_FAILED) {
      taken += size >> 30;
    }
  }
  say("over 100 TiB taken: %d, sum %u", taken > 100 * 1024, work(5, 500));
  return 0;
}

SITUATION(tuned) {
  mallopt(M_MMAP_THRESHOLD, 8192);
  mallopt(M_ARENA_MAX, 1);
  std::uint32_t sum = work(6, 300);
  malloc_trim(0);
  sum += work(7, 300);
  say("sum %u, arena counted: %d", sum,
      mallinfo2().arena + mallinfo2().hblkhd < (std::size_t{1} << 40));
  return 0;
}

}  // namespace
