// SPDX-License-Identifier: MIT
// Every form of operator new and of the malloc family, each sampled (rate 1) and not (rate 0):
// counted once and exactly, aligned, zeroed where promised, its contents kept by realloc.
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <malloc.h>
#include <new>

#include "memprof/memprof.hpp"

#include "check.hpp"

namespace {

std::uint64_t words(std::size_t size) { return (size + 15) / 8; }

/// Allocates by `get`, checks count and alignment, writes all of it, frees by `put`.
template <class Get, class Put>
void round_trip(std::size_t size, std::size_t alignment, double rate, Get get, Put put) {
  // tcmalloc and mimalloc align blocks of less than 16 bytes to 8, as the standard lets them.
  if (size < 16 && alignment == 16) alignment = 8;
  const auto before = memprof::counters();
  void* block = get();
  const auto after = memprof::counters();
  CHECK(block != nullptr);
  CHECK(reinterpret_cast<std::uintptr_t>(block) % alignment == 0);
  CHECK(after.samples - before.samples == (rate == 1.0 ? words(size) : 0));
  CHECK(after.tracked_blocks - before.tracked_blocks == (rate == 1.0 ? 1 : 0));
  CHECK(malloc_usable_size(block) >= size);
  std::memset(block, 0xA5, size);
  put(block);
  CHECK(memprof::counters().tracked_blocks == before.tracked_blocks);
}

void operators(std::size_t n, double rate) {
  using std::align_val_t;
  const auto a = align_val_t{64};
  const auto big = align_val_t{16384};
  const auto t = [&](std::size_t alignment, auto get, auto put) {
    round_trip(n, alignment, rate, get, put);
  };
  t(
      16, [&] { return ::operator new(n); }, [](void* p) { ::operator delete(p); });
  t(
      16, [&] { return ::operator new[](n); }, [](void* p) { ::operator delete[](p); });
  t(
      16, [&] { return ::operator new(n); }, [&](void* p) { ::operator delete(p, n); });
  t(
      16, [&] { return ::operator new[](n); }, [&](void* p) { ::operator delete[](p, n); });
  t(
      16, [&] { return ::operator new(n, std::nothrow); },
      [](void* p) { ::operator delete(p, std::nothrow); });
  t(
      16, [&] { return ::operator new[](n, std::nothrow); },
      [](void* p) { ::operator delete[](p, std::nothrow); });
  t(
      64, [&] { return ::operator new(n, a); }, [&](void* p) { ::operator delete(p, a); });
  t(
      64, [&] { return ::operator new[](n, a); }, [&](void* p) { ::operator delete[](p, n, a); });
  t(
      64, [&] { return ::operator new(n, a, std::nothrow); },
      [&](void* p) { ::operator delete(p, n, a); });
  t(
      64, [&] { return ::operator new[](n, a, std::nothrow); },
      [&](void* p) { ::operator delete[](p, a, std::nothrow); });
  t(
      16384, [&] { return ::operator new(n, big); },
      [&](void* p) { ::operator delete(p, big, std::nothrow); });
}

void malloc_family(std::size_t n, double rate) {
  const auto t = [&](std::size_t size, std::size_t alignment, auto get) {
    round_trip(size, alignment, rate, get, [](void* p) { std::free(p); });
  };
  t(n, 16, [&] { return std::malloc(n); });
  t(n, 16, [&] {
    auto* p = static_cast<unsigned char*>(std::calloc(n, 1));
    for (std::size_t i = 0; i < n; ++i) CHECK(p[i] == 0);
    return static_cast<void*>(p);
  });
  t(n, 16, [&] { return std::realloc(nullptr, n); });
  t(3 * n, 16, [&] { return reallocarray(nullptr, n, 3); });
  t(n, 256, [&] {
    void* p = nullptr;
    CHECK(posix_memalign(&p, 256, n) == 0);
    return p;
  });
  t(n, 128, [&] { return std::aligned_alloc(128, n); });
  t(n, 8192, [&] { return memalign(8192, n); });
  t(n, 4096, [&] { return valloc(n); });
  t((n + 4095) / 4096 * 4096, 4096, [&] { return pvalloc(n); });
}

void reallocations() {
  for (double from : {0.0, 1.0}) {
    for (double to : {0.0, 1.0}) {
      for (std::size_t old_size : {1u, 100u, 4096u, 5000u, 200'000u}) {
        for (std::size_t new_size : {1u, 100u, 4096u, 5000u, 200'000u, 3'000'000u}) {
          memprof::set_process_sampling_rate(memprof::sampling_rate{from});
          auto* p = static_cast<unsigned char*>(std::malloc(old_size));
          for (std::size_t i = 0; i < old_size; ++i) p[i] = static_cast<unsigned char>(i * 7);
          memprof::set_process_sampling_rate(memprof::sampling_rate{to});
          p = static_cast<unsigned char*>(std::realloc(p, new_size));
          CHECK(p != nullptr);
          for (std::size_t i = 0; i < old_size && i < new_size; ++i) {
            CHECK(p[i] == static_cast<unsigned char>(i * 7));
          }
          CHECK(malloc_usable_size(p) >= new_size);
          std::free(p);
        }
      }
    }
  }
}

/// A compiler may assume that an allocation it can leave out would have succeeded.
void* opaque(void* p) {
  asm volatile("" : "+r"(p) : : "memory");
  return p;
}

void refusals() {
  // Volatile, or the compiler knows that these cannot succeed.
  volatile std::size_t huge = static_cast<std::size_t>(-1) - 100;
  errno = 0;
  CHECK(opaque(std::malloc(huge)) == nullptr && errno == ENOMEM);
  errno = 0;
  CHECK(opaque(std::calloc(huge, 16)) == nullptr && errno == ENOMEM);
  // Volatile again: a refused realloc leaves the block alone, which g++ does not see.
  void* volatile p = std::malloc(10);
  errno = 0;
  CHECK(opaque(reallocarray(p, huge, 16)) == nullptr && errno == ENOMEM);
  CHECK(opaque(std::realloc(p, huge)) == nullptr);
  std::free(p);
  void* q = nullptr;
  CHECK(posix_memalign(&q, 3, 10) == EINVAL);
  CHECK(opaque(::operator new(huge, std::nothrow)) == nullptr);
  bool thrown = false;
  try {
    ::operator delete(opaque(::operator new(huge)));
  } catch (std::bad_alloc const&) {
    thrown = true;
  }
  CHECK(thrown);
  std::free(nullptr);
  ::operator delete(nullptr);
  errno = 77;
  std::free(opaque(std::malloc(100)));
  CHECK(errno == 77);
}

}  // namespace

int main() {
  for (double rate : {0.0, 1.0}) {
    memprof::set_process_sampling_rate(memprof::sampling_rate{rate});
    for (std::size_t n : {1u, 8u, 9u, 64u, 1000u, 4096u, 4097u, 70'000u, 5'000'000u}) {
      operators(n, rate);
      malloc_family(n, rate);
    }
    refusals();
  }
  reallocations();
}
