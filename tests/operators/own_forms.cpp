// SPDX-License-Identifier: MIT
// A program with its own definitions of some forms of operator new and delete, as [new.delete] lets
// every program have: those that the macro OWN names, a set of bits. Its blocks have a header, so a
// form that does not reach them through each other is found out. Prints how often each of its own
// forms was called, which must not depend on memprof. Knows nothing of memprof.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

namespace {

enum form : unsigned {
  single = 1,         // operator new(size_t), operator delete(void*)
  array = 2,          // the same of new[]
  aligned = 4,        // operator new(size_t, align_val_t), operator delete(void*, align_val_t)
  aligned_array = 8,  // the same of new[]
  nothrow = 16,       // operator new(size_t, nothrow_t)
  sized = 32,         // operator delete(void*, size_t)
  only_delete = 64    // operator delete(void*) alone, which frees what malloc gave
};

long calls[12];

[[maybe_unused]] constexpr std::size_t header = 256;

[[maybe_unused]] void* with_header(std::size_t size, std::size_t alignment, std::uint64_t magic) {
  void* block = nullptr;
  if (posix_memalign(&block, alignment < 16 ? 16 : alignment, size + header) != 0) {
    throw std::bad_alloc{};
  }
  std::memcpy(block, &magic, sizeof magic);
  return static_cast<char*>(block) + header;
}

[[maybe_unused]] void end_with_header(void* block, std::uint64_t magic) {
  if (block == nullptr) return;
  void* const begin = static_cast<char*>(block) - header;
  if (std::memcmp(begin, &magic, sizeof magic) != 0) {
    std::puts("a block of somebody else's");
    std::abort();
  }
  std::free(begin);
}

/// Hides what the compiler knows of a block.
void* hidden(void* block) {
  asm volatile("" : "+r"(block) : : "memory");
  return block;
}

}  // namespace

#if OWN & 1
void* operator new(std::size_t n) { return ++calls[0], with_header(n, 16, 0x5171); }
void operator delete(void* p) noexcept { ++calls[1], end_with_header(p, 0x5171); }
#endif
#if OWN & 2
void* operator new[](std::size_t n) { return ++calls[2], with_header(n, 16, 0xa44a); }
void operator delete[](void* p) noexcept { ++calls[3], end_with_header(p, 0xa44a); }
#endif
#if OWN & 4
void* operator new(std::size_t n, std::align_val_t a) {
  return ++calls[4], with_header(n, static_cast<std::size_t>(a), 0xa119);
}
void operator delete(void* p, std::align_val_t) noexcept { ++calls[5], end_with_header(p, 0xa119); }
#endif
#if OWN & 8
void* operator new[](std::size_t n, std::align_val_t a) {
  return ++calls[6], with_header(n, static_cast<std::size_t>(a), 0xa1aa);
}
void operator delete[](void* p, std::align_val_t) noexcept {
  ++calls[7], end_with_header(p, 0xa1aa);
}
#endif
#if OWN & 16
void* operator new(std::size_t n, std::nothrow_t const&) noexcept {
  return ++calls[8], OWN & single ? ::operator new(n) : std::malloc(n);
}
#endif
#if OWN & 32
void operator delete(void* p, std::size_t) noexcept {
  ++calls[9];
#if OWN & 1
  ::operator delete(p);
#else
  std::free(p);
#endif
}
#endif
#if OWN & 64
void operator delete(void* p) noexcept { ++calls[10], std::free(p); }
#endif

int main() {
  const std::nothrow_t n{};
  const auto a = std::align_val_t{64};
  for (int i = 0; i < 3000; ++i) {
    const std::size_t size = static_cast<std::size_t>(i) % 700;
    ::operator delete(hidden(::operator new(size)));
    ::operator delete(hidden(::operator new(size)), size);
    ::operator delete(hidden(::operator new(size, n)), n);
    ::operator delete[](hidden(::operator new[](size)));
    ::operator delete[](hidden(::operator new[](size)), size);
    ::operator delete[](hidden(::operator new[](size, n)), n);
    ::operator delete(hidden(::operator new(size, a)), a);
    ::operator delete(hidden(::operator new(size, a)), size, a);
    ::operator delete(hidden(::operator new(size, a, n)), a, n);
    ::operator delete[](hidden(::operator new[](size, a)), a);
    ::operator delete[](hidden(::operator new[](size, a)), size, a);
    ::operator delete[](hidden(::operator new[](size, a, n)), a, n);
  }
  for (const long c : calls) std::printf("%ld ", c);
  std::puts("");
}
