// SPDX-License-Identifier: MIT
// Sampled blocks keep their contents, whatever the program does with
// them: sizes from 0 to 1 MiB, all kinds of requests, threads that free each other's blocks and
// end, forks, frees in signal handlers; all at rate 1. Then the same with hardly any address space
// left, and, in a second process, where the range of sampled blocks is taken.
#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <malloc.h>
#include <random>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "memprof/memprof.hpp"

#include "check.hpp"

namespace {

struct block {
  unsigned char* bytes = nullptr;
  std::size_t size = 0;
  unsigned char pattern = 0;
};

void fill(block& b, unsigned char pattern) {
  b.pattern = pattern;
  std::memset(b.bytes, pattern, b.size);
}

void check(block const& b) {
  if (b.size == 0) return;
  // First, last, and every 61st byte.
  for (std::size_t i = 0; i < b.size; i += 61) CHECK(b.bytes[i] == b.pattern);
  CHECK(b.bytes[b.size - 1] == b.pattern);
}

std::size_t random_size(std::mt19937_64& random) {
  const std::size_t most = std::size_t{1} << random() % (random() % 20 == 0 ? 21 : 11);
  return random() % most;
}

bool allocate(block& b, std::mt19937_64& random) {
  b.size = random_size(random);
  const std::size_t alignment = std::size_t{8} << random() % 11;
  void* bytes = nullptr;
  switch (random() % 5) {
    case 0:
      bytes = std::calloc(1, b.size);
      if (bytes == nullptr) return false;
      for (std::size_t i = 0; i < b.size; ++i) CHECK(static_cast<char*>(bytes)[i] == 0);
      break;
    case 1:
      if (posix_memalign(&bytes, alignment, b.size) != 0) return false;
      CHECK(reinterpret_cast<std::uintptr_t>(bytes) % alignment == 0);
      break;
    case 2:
      bytes = ::operator new(b.size, std::nothrow);
      break;
    default:
      bytes = std::malloc(b.size);
      break;
  }
  b.bytes = static_cast<unsigned char*>(bytes);
  if (bytes == nullptr) return false;
  CHECK(reinterpret_cast<std::uintptr_t>(bytes) % (b.size >= 16 ? 16 : 8) == 0);
  CHECK(malloc_usable_size(bytes) >= b.size);
  fill(b, static_cast<unsigned char>(random()));
  return true;
}

/// Every block is known from its request to its end, wherever it lies.
void end_each() {
  std::vector<void*> blocks(100);
  for (const std::size_t size : {1u, 100u, 4000u, 4096u, 5000u, 200'000u, 3'000'000u}) {
    const auto before = memprof::counters().tracked_blocks;
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      blocks[i] = i % 2 == 0 ? std::malloc(size) : memalign(8192, size);
      CHECK(blocks[i] != nullptr);
    }
    CHECK(memprof::counters().tracked_blocks == before + 100);
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      if (i % 4 == 0) blocks[i] = std::realloc(blocks[i], 2 * size);
      CHECK(blocks[i] != nullptr);
    }
    CHECK(memprof::counters().tracked_blocks == before + 100);
    for (void* const b : blocks) std::free(b);
    CHECK(memprof::counters().tracked_blocks == before);
  }
}

void resize(block& b, std::mt19937_64& random) {
  const std::size_t size = 1 + random_size(random);
  auto* const bytes = static_cast<unsigned char*>(std::realloc(b.bytes, size));
  if (bytes == nullptr) return;
  b.bytes = bytes;
  b.size = std::min(b.size, size);
  check(b);
  b.size = size;
  fill(b, static_cast<unsigned char>(b.pattern + 1));
}

std::atomic<block*> exchange[512];

void work(std::uint64_t seed, int rounds) {
  std::mt19937_64 random{seed};
  for (int i = 0; i < rounds; ++i) {
    auto* const fresh = new (std::nothrow) block;
    if (fresh == nullptr) continue;
    if (!allocate(*fresh, random)) {
      delete fresh;
      continue;
    }
    block* const old = exchange[random() % 512].exchange(fresh);
    if (old == nullptr) continue;
    check(*old);
    if (random() % 3 == 0) resize(*old, random);
    check(*old);
    std::free(old->bytes);
    delete old;
  }
}

void work_in_threads(std::uint64_t seed, int rounds) {
  std::vector<std::thread> threads;
  for (std::uint64_t i = 0; i < 3; ++i) threads.emplace_back(work, seed + i, rounds);
  for (auto& thread : threads) thread.join();
}

// The handler frees what the main thread has put there, in the middle of anything.
std::atomic<void*> for_handler[64];
std::atomic<int> freed_in_handler{0};

void free_one(int) {
  for (auto& entry : for_handler) {
    void* const found = entry.exchange(nullptr);
    if (found == nullptr) continue;
    std::free(found);
    ++freed_in_handler;
    return;
  }
}

/// glibc's own malloc may not be entered from handlers: only sampled blocks, all of this size.
void free_in_signal_handlers() {
  struct sigaction action {};
  action.sa_handler = free_one;
  action.sa_flags = SA_RESTART;
  CHECK(sigaction(SIGALRM, &action, nullptr) == 0);
  const itimerval often{{0, 50}, {0, 50}};
  CHECK(setitimer(ITIMER_REAL, &often, nullptr) == 0);
  std::mt19937_64 random{7};
  std::vector<block> kept(200);
  for (int i = 0; i < 150'000 && freed_in_handler < 500; ++i) {
    auto& b = kept[random() % kept.size()];
    if (b.bytes != nullptr) {
      check(b);
      std::free(b.bytes);
    }
    b = {.bytes = static_cast<unsigned char*>(std::malloc(200)), .size = 200};
    fill(b, static_cast<unsigned char>(i));
    void* const fresh = std::malloc(200);
    if (void* const old = for_handler[random() % 64].exchange(fresh)) std::free(old);
  }
  const itimerval never{};
  CHECK(setitimer(ITIMER_REAL, &never, nullptr) == 0);
  CHECK(freed_in_handler > 0);
  for (auto const& b : kept) {
    if (b.bytes != nullptr) check(b);
    std::free(b.bytes);
  }
}

void fork_often() {
  std::atomic<bool> done{false};
  std::thread other{[&] {
    for (std::uint64_t seed = 100; !done; ++seed) work(seed, 300);
  }};
  for (int i = 0; i < 60; ++i) {
    const pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
      alarm(20);  // ends a child that hangs
      std::mt19937_64 random{static_cast<std::uint64_t>(i)};
      std::vector<block> blocks(100);
      for (auto& b : blocks) CHECK(allocate(b, random));
      for (auto& b : blocks) check(b);
      for (auto& b : blocks) std::free(b.bytes);
      _exit(0);
    }
    int status = -1;
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
  done = true;
  other.join();
}

void work_in_little_address_space() {
  const pid_t child = fork();
  if (child == 0) {
    rlimit limit{};
    getrlimit(RLIMIT_AS, &limit);
    std::size_t pages = 0;
    std::FILE* const file = std::fopen("/proc/self/statm", "r");
    CHECK(file != nullptr && std::fscanf(file, "%zu", &pages) == 1);
    limit.rlim_cur = pages * 4096 + (std::size_t{6} << 20);
    CHECK(setrlimit(RLIMIT_AS, &limit) == 0);
    void* const page =
        mmap(nullptr, std::size_t{64} << 20, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page != MAP_FAILED) _exit(0);  // QEMU sets no limit
    work(1000, 4000);
    int large = 0;
    while (large < 1000 && std::malloc(std::size_t{1} << 20) != nullptr) ++large;
    CHECK(large < 1000);
    work(1001, 4000);
    _exit(0);
  }
  int status = -1;
  CHECK(waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

// As in override/sampled_range.hpp.
#if defined(__aarch64__)
constexpr std::uintptr_t range_begin = std::uintptr_t{0x34} << 42;
#else
constexpr std::uintptr_t range_begin = std::uintptr_t{0x1a} << 42;
#endif
constexpr std::uintptr_t range_size = std::uintptr_t{1} << 42;

bool in_range(void const* block) {
  return reinterpret_cast<std::uintptr_t>(block) - range_begin < range_size;
}

bool take(std::uintptr_t at, std::size_t size) {
  return mmap(reinterpret_cast<void*>(at), size, PROT_NONE,
              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1,
              0) == reinterpret_cast<void*>(at);
}

/// Not under QEMU, nor with kernels that have fewer addresses.
bool range_exists() { return take(range_begin + range_size - (1 << 16), 1 << 16); }

/// Fills what is left of the range with mappings of the program.
void take_range() {
  constexpr std::uintptr_t area = std::uintptr_t{64} << 20;
  for (std::uintptr_t at = range_begin; at < range_begin + range_size; at += area) {
    if (take(at, area)) continue;
    for (std::uintptr_t part = at; part < at + area; part += 1 << 16) take(part, 1 << 16);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const bool taken = argc > 1;
  const bool packed = !taken && range_exists();
  if (taken) take_range();
  memprof::set_process_sampling_rate(memprof::sampling_rate{1.0});
  void* const block = std::malloc(1000);
  CHECK(in_range(block) == packed);
  CHECK((memprof::counters().aligned_blocks == 0) == packed);
  std::free(block);

  end_each();
  work_in_threads(1, 8000);
  work_in_threads(4, 2000);  // the slots of threads that have ended
  free_in_signal_handlers();
  fork_often();
  work_in_little_address_space();

  if (packed) {  // taken, without a sample before its main
    setenv("MEMPROF_RATE", "0", 1);
    const pid_t child = fork();
    if (child == 0) {
      execl("/proc/self/exe", argv[0], "taken", nullptr);
      _exit(3);
    }
    int status = -1;
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
  return 0;
}
