// SPDX-License-Identifier: MIT
// Large sampled blocks grow by realloc, which moves their pages: at rate 1 their contents stay,
// errno too, live memory is exact; also in threads and in a child, from blocks of which the program
// has changed a part of the protection, and where hardly any address is left.
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "memprof/memprof.hpp"

#include "check.hpp"

namespace {

constexpr std::size_t kib = 1024;
constexpr std::size_t mib = 1024 * kib;

unsigned char pattern(std::size_t i, unsigned seed) {
  return static_cast<unsigned char>(i / 4096 * 7 + i + seed);
}
void fill(unsigned char* at, std::size_t from, std::size_t to, unsigned seed) {
  for (std::size_t i = from; i < to; ++i) at[i] = pattern(i, seed);
}
void check(unsigned char const* at, std::size_t size, unsigned seed) {
  for (std::size_t i = 0; i < size; ++i) CHECK(at[i] == pattern(i, seed));
}

/// From some KiB to `most` bytes and back, by a factor.
void grow(std::size_t most, double factor, unsigned seed) {
  std::size_t size = 10 * kib;
  auto* at = static_cast<unsigned char*>(std::malloc(size));
  CHECK(at != nullptr);
  fill(at, 0, size, seed);
  while (size < most) {
    const auto larger = static_cast<std::size_t>(static_cast<double>(size) * factor) + 3;
    errno = 77;
    at = static_cast<unsigned char*>(std::realloc(at, larger));
    CHECK(at != nullptr && errno == 77);
    check(at, size, seed);
    fill(at, size, larger, seed);
    size = larger;
  }
  while (size > 1000) {
    size = size * 2 / 5;
    at = static_cast<unsigned char*>(std::realloc(at, size));
    CHECK(at != nullptr);
    check(at, size, seed);
  }
  std::free(at);
}

void grow_in_threads() {
  std::vector<std::thread> threads;
  for (unsigned seed = 1; seed <= 3; ++seed) {
    threads.emplace_back([seed] {
      for (int i = 0; i < 5; ++i) grow(3 * mib, 1.1 + 0.17 * seed, seed);
    });
  }
  for (auto& thread : threads) thread.join();
}

template <class F>
void in_child(F&& run) {
  const pid_t child = fork();
  if (child == 0) {
    run();
    _exit(0);
  }
  int status = 0;
  CHECK(waitpid(child, &status, 0) == child && status == 0);
}

/// Then the block has three mappings, and the kernel does not move it.
unsigned char* partly_read_only(std::size_t size) {
  auto* const at = static_cast<unsigned char*>(std::malloc(size));
  CHECK(at != nullptr && reinterpret_cast<std::uintptr_t>(at) % 4096 == 0);
  fill(at, 0, size, 5);
  CHECK(mprotect(at + 64 * kib, 64 * kib, PROT_READ) == 0);
  return at;
}

void several_mappings() {
  for (const std::size_t to : {300 * kib, 100 * mib}) {
    unsigned char* const before = partly_read_only(200 * kib);
    const auto address = reinterpret_cast<std::uintptr_t>(before);
    auto* const at = static_cast<unsigned char*>(std::realloc(before, to));
    CHECK(at != nullptr);
    check(at, 200 * kib, 5);
    std::memset(at, 1, to);
    std::free(at);
    // The chunk may be kept for the next block, with its protection.
    CHECK(mprotect(reinterpret_cast<void*>(address + 64 * kib), 64 * kib, PROT_READ | PROT_WRITE) ==
          0);
  }
}

/// With too few addresses for a larger block the old one stays as it is. (Of what was freed at most
/// 64 MiB are kept, and given back then.)
void few_addresses() {
  constexpr std::size_t larger = 200 * mib;
  unsigned char* const at = partly_read_only(200 * kib);
  rlimit before{};
  CHECK(getrlimit(RLIMIT_AS, &before) == 0);
  char text[64] = {};
  std::FILE* const file = std::fopen("/proc/self/statm", "r");
  CHECK(file != nullptr && std::fgets(text, sizeof text, file) != nullptr);
  std::fclose(file);
  const std::size_t in_use = std::strtoul(text, nullptr, 10) * 4096;
  rlimit const none{in_use, before.rlim_max};
  CHECK(setrlimit(RLIMIT_AS, &none) == 0);
  void* const mapped = mmap(nullptr, larger, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(setrlimit(RLIMIT_AS, &before) == 0);
  if (mapped != MAP_FAILED) return;  // QEMU sets no limit
  int refused = 0;
  for (std::size_t room = 0; room <= 2 * larger; room += 20 * mib) {
    rlimit const little{in_use + room, before.rlim_max};
    CHECK(setrlimit(RLIMIT_AS, &little) == 0);
    errno = 0;
    auto* const grown = static_cast<unsigned char*>(std::realloc(at, larger));
    const int error = errno;
    CHECK(setrlimit(RLIMIT_AS, &before) == 0);
    check(grown != nullptr ? grown : at, 200 * kib, 5);
    if (grown != nullptr) {
      std::memset(grown, 1, larger);
      std::free(grown);
      CHECK(refused > 0);
      return;
    }
    CHECK(error == ENOMEM);
    ++refused;
  }
  CHECK(false);
}

}  // namespace

int main() {
  memprof::set_process_sampling_rate(memprof::sampling_rate{1.0});
  const auto before = memprof::live_memory().value;
  for (const double factor : {1.06, 1.125, 1.5, 2.0}) grow(9 * mib, factor, 3);
  grow(200 * mib, 1.9, 4);
  several_mappings();
  CHECK(memprof::live_memory().value == before);
  grow_in_threads();
  in_child([] {
    grow(20 * mib, 1.3, 6);
    grow_in_threads();
  });
  in_child(few_addresses);
}
