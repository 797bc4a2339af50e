// SPDX-License-Identifier: MIT
// The workloads of several threads.
#include <array>
#include <atomic>
#include <barrier>
#include <cstddef>
#include <memory>
#include <new>
#include <thread>
#include <vector>

#include "workloads.hpp"

namespace processes {

namespace {

/// Runs `work(i)` on `count` threads that begin together. "ns" for one of `operations` in all.
template <class F>
findings together(int count, std::int64_t operations, F&& work) {
  std::barrier begin(count + 1);
  std::vector<std::jthread> threads;
  for (int i = 0; i < count; ++i) {
    threads.emplace_back([&, i] {
      begin.arrive_and_wait();
      work(i);
    });
  }
  begin.arrive_and_wait();
  const std::int64_t wall = wall_ns(), cpu = process_ns();
  threads.clear();  // joined
  const auto each = [&](std::int64_t ns) {
    return static_cast<double>(ns) / static_cast<double>(operations);
  };
  return {{"ns", each(wall_ns() - wall)}, {"cpu ns", each(process_ns() - cpu)}};
}

findings own_mixtures(int count, std::int64_t pairs) {
  return together(count, pairs, [&](int i) {
    random_pairs(pairs / count, 88172645463325252ULL + static_cast<std::uint64_t>(i) * 77777);
  });
}

/// Blocks on their way from one thread to one other.
class channel {
 public:
  bool try_put(void* block) noexcept {
    const std::size_t at = put_.load(std::memory_order_relaxed);
    if (at - taken_.load(std::memory_order_acquire) == slots_.size()) return false;
    slots_[at % slots_.size()] = block;
    put_.store(at + 1, std::memory_order_release);  // publishes the slot
    return true;
  }
  void* try_take() noexcept {
    const std::size_t at = taken_.load(std::memory_order_relaxed);
    if (at == put_.load(std::memory_order_acquire)) return nullptr;
    void* const block = slots_[at % slots_.size()];
    taken_.store(at + 1, std::memory_order_release);  // gives the slot back
    return block;
  }

 private:
  alignas(64) std::atomic<std::size_t> put_{0};
  alignas(64) std::atomic<std::size_t> taken_{0};
  alignas(64) std::array<void*, 1024> slots_{};
};

/// Allocates `blocks` of 16 to 512 bytes into `to`, and frees as many from `from`; null: not at
/// all.
void pass_on(std::int64_t blocks, channel* from, channel* to, std::uint64_t seed) {
  random_numbers random{.state = seed};
  std::int64_t to_free = from != nullptr ? blocks : 0;
  std::int64_t to_put = to != nullptr ? blocks : 0;
  void* next = nullptr;
  while (to_free > 0 || to_put > 0) {
    bool idle = true;
    for (int i = 0; i < 64 && to_put > 0; ++i) {
      if (next == nullptr) next = keep(::operator new(16 + random() % 497));
      if (!to->try_put(next)) break;
      next = nullptr;
      --to_put;
      idle = false;
    }
    for (int i = 0; i < 64 && to_free > 0; ++i) {
      void* const block = from->try_take();
      if (block == nullptr) break;
      ::operator delete(block);
      --to_free;
      idle = false;
    }
    if (idle) std::this_thread::yield();
  }
}

}  // namespace

findings two_threads(std::int64_t pairs) { return own_mixtures(2, pairs); }
findings four_threads(std::int64_t pairs) { return own_mixtures(4, pairs); }

findings producer_consumer(std::int64_t blocks) {
  const auto between = std::make_unique<channel>();
  return together(2, blocks, [&](int i) {
    if (i == 0) {
      pass_on(blocks, nullptr, between.get(), 4711);
    } else {
      pass_on(blocks, between.get(), nullptr, 4711);
    }
  });
}

findings ring_of_four(std::int64_t blocks) {
  const auto channels = std::make_unique<std::array<channel, 4>>();
  return together(4, blocks, [&](int i) {
    const auto at = static_cast<std::size_t>(i);
    pass_on(blocks / 4, &(*channels)[at], &(*channels)[(at + 1) % 4], 4711 + at * 77777);
  });
}

findings spawning(std::int64_t threads) {
  const std::int64_t wall = wall_ns(), cpu = process_ns();
  for (std::int64_t i = 0; i < threads; ++i) {
    std::thread([] { ::operator delete(keep(::operator new(64))); }).join();
  }
  const auto each = [&](std::int64_t ns) {
    return static_cast<double>(ns) / static_cast<double>(threads);
  };
  return {{"ns", each(wall_ns() - wall)}, {"cpu ns", each(process_ns() - cpu)}};
}

}  // namespace processes
