// SPDX-License-Identifier: MIT
// Sizes and alignments at the ends of their range: every function of the malloc family refuses what
// the C library beneath refuses, with the same error, and never gives a block that is smaller than
// what was asked for; with every block sampled, and with none.
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <malloc.h>
#include <new>
#include <string_view>

#include "memprof/memprof.hpp"

#include "check.hpp"

namespace {

// The next allocator's functions, which the replacement calls.
template <class Function>
Function next(char const* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

struct answer {
  bool given = false;
  int error = 0;

  bool operator==(answer const&) const = default;
};

/// Checks that a block is as large as it should be, and frees it.
answer judge(void* block, std::size_t size, std::size_t alignment) {
  const int error = errno;
  asm volatile("" : "+r"(block) : : "memory");
  if (block == nullptr) return {.given = false, .error = error};
  CHECK(reinterpret_cast<std::uintptr_t>(block) % alignment == 0);
  CHECK(malloc_usable_size(block) >= size);
  std::free(block);
  return {.given = true, .error = 0};
}

/// The same request of ours and of the next allocator.
template <class Request>
void compare(char const* name, std::size_t a, std::size_t b, Request request, auto ours) {
  const auto of_next = next<decltype(ours)>(name);
  if (of_next == nullptr) return;
  errno = 0;
  const answer right = request(of_next);
  errno = 0;
  const answer seen = request(ours);
  if (seen == right) return;
  std::fprintf(stderr, "%s(%#zx, %#zx): %s, errno %d instead of %s, %d\n", name, a, b,
               seen.given ? "a block" : "null", seen.error, right.given ? "a block" : "null",
               right.error);
  CHECK(seen == right);
}

constexpr std::size_t last = SIZE_MAX;
constexpr std::size_t half = last / 2;
// None that a machine might grant: what is refused is refused for its size.
constexpr std::array sizes{std::size_t{0}, std::size_t{1}, half - 4096, half - 16,    half - 1,
                           half,           half + 1,       half + 4096, last - 65536, last - 8192,
                           last - 4097,    last - 4096,    last - 4095, last - 4094,  last - 64,
                           last - 33,      last - 16,      last - 15,   last - 14,    last - 8,
                           last - 7,       last - 1,       last};

void one_size(std::size_t size) {
  const auto one = [&](char const* name, auto ours, std::size_t alignment) {
    compare(
        name, size, 0, [&](auto f) { return judge(f(size), size, alignment); }, ours);
  };
  one("malloc", &std::malloc, 16);
  one("valloc", &valloc, 4096);
  one("pvalloc", &pvalloc, 4096);
  compare(
      "realloc", size, 0,
      [&](auto f) {
        const bool is_ours = f == &std::realloc;
        void* volatile block =
            is_ours ? std::malloc(100) : next<decltype(&std::malloc)>("malloc")(100);
        void* const grown = f(block, size);
        if (grown == nullptr && size != 0) {
          const int error = errno;
          std::free(block);  // it is as it was
          errno = error;
        }
        return judge(grown, size, 16);
      },
      &std::realloc);
  for (const bool thrown : {false, true}) {
    if (size < half - 8192) continue;
    bool refused = false;
    try {
      void* const block = thrown ? ::operator new(size) : ::operator new(size, std::nothrow);
      refused = block == nullptr;
    } catch (std::bad_alloc const&) {
      refused = true;
    }
    CHECK(refused);
  }
}

void two_sizes(std::size_t n, std::size_t size) {
  std::size_t total = 0;
  if (__builtin_mul_overflow(n, size, &total)) total = last;
  compare(
      "calloc", n, size, [&](auto f) { return judge(f(n, size), total, 16); }, &std::calloc);
  compare(
      "reallocarray", n, size, [&](auto f) { return judge(f(nullptr, n, size), total, 16); },
      &reallocarray);
}

void aligned(std::size_t alignment, std::size_t size) {
  const std::size_t least = (alignment & (alignment - 1)) == 0 && alignment != 0 ? alignment : 16;
  compare(
      "memalign", alignment, size, [&](auto f) { return judge(f(alignment, size), size, least); },
      &memalign);
  compare(
      "aligned_alloc", alignment, size,
      [&](auto f) { return judge(f(alignment, size), size, least); }, &std::aligned_alloc);
  compare(
      "posix_memalign", alignment, size,
      [&](auto f) {
        void* const untouched = &errno;
        void* block = untouched;
        const int error = f(&block, alignment, size);
        if (error != 0) CHECK(block == untouched);
        errno = error;  // errno itself is not said to be anything
        return error == 0 ? judge(block, size, alignment) : answer{.given = false, .error = error};
      },
      &posix_memalign);
}

}  // namespace

int main() {
  if (dlsym(RTLD_NEXT, "malloc") == nullptr) return 0;  // static: there is nothing to compare with
  for (double rate : {0.0, 1e-4, 1.0}) {
    memprof::set_process_sampling_rate(memprof::sampling_rate{rate});
    for (const std::size_t size : sizes) {
      one_size(size);
      for (const std::size_t other : sizes) two_sizes(other, size);
      for (const std::size_t alignment :
           {std::size_t{0}, std::size_t{1}, std::size_t{3}, std::size_t{8}, std::size_t{24},
            std::size_t{4096}, std::size_t{1} << 20, std::size_t{1} << 46, std::size_t{1} << 62,
            std::size_t{1} << 63, last}) {
        aligned(alignment, size);
      }
    }
  }
}
