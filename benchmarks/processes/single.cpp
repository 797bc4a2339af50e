// SPDX-License-Identifier: MIT
// The workloads of one thread.
#include <cstdlib>
#include <new>
#include <string>
#include <vector>

#include "workloads.hpp"

namespace processes {

namespace {

double per(std::int64_t ns, std::int64_t count) {
  return static_cast<double>(ns) / static_cast<double>(count);
}

/// "ns" of `count` operations, after a tenth of them to warm up.
template <class F>
findings timed(std::int64_t count, F&& operations) {
  operations(count / 10 + 1);
  const std::int64_t start = thread_ns();
  operations(count);
  return {{"ns", per(thread_ns() - start, count)}};
}

template <std::size_t Size>
void malloc_pairs(std::int64_t pairs) {
  for (; pairs > 0; --pairs) std::free(keep(std::malloc(Size)));
}

struct passing {};

[[gnu::noinline]] void throw_at(int frames) {
  if (frames == 0) throw passing{};
  throw_at(frames - 1);
  asm volatile("" : : : "memory");  // no tail call
}

}  // namespace

void random_pairs(std::int64_t pairs, std::uint64_t seed) {
  random_numbers random{.state = seed};
  void* blocks[512];
  for (void*& block : blocks) block = ::operator new(16 + random() % 497);
  for (; pairs > 0; --pairs) {
    const std::uint64_t r = random();
    void*& block = blocks[r % 512];
    ::operator delete(block);
    block = keep(::operator new(16 + (r >> 32) % 497));
  }
  for (void* block : blocks) ::operator delete(block);
}

findings new_delete(std::int64_t pairs) {
  return timed(pairs, [](std::int64_t n) {
    for (; n > 0; --n) ::operator delete(keep(::operator new(64)), 64);
  });
}

findings malloc_64(std::int64_t pairs) { return timed(pairs, malloc_pairs<64>); }
findings malloc_512(std::int64_t pairs) { return timed(pairs, malloc_pairs<512>); }

findings random_sizes(std::int64_t pairs) {
  return timed(pairs, [](std::int64_t n) { random_pairs(n, 88172645463325252ULL); });
}

findings strings(std::int64_t rounds) {
  return timed(rounds, [](std::int64_t n) {
    for (; n > 0; --n) {
      std::vector<std::string> all;
      for (int i = 0; i < 32; ++i) all.emplace_back(40, 'x');
      keep(all.data());
    }
  });
}

findings live_blocks(std::int64_t count) {
  struct link {
    link* next;
  };
  link* first = nullptr;
  const std::int64_t start = thread_ns();
  for (std::int64_t i = 0; i < count; ++i) {
    auto* const block = static_cast<link*>(std::malloc(64));
    if (block == nullptr) throw std::bad_alloc();
    block->next = first;
    first = block;
  }
  const double ns = per(thread_ns() - start, count);
  keep(first);
  return {{"ns", ns}, {"bytes", static_cast<double>(resident_bytes())}};
}

findings throwing(std::int64_t times) {
  return timed(times, [](std::int64_t n) {
    for (; n > 0; --n) {
      try {
        throw_at(29);
      } catch (passing const&) {
      }
    }
  });
}

}  // namespace processes
