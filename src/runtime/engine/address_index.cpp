// SPDX-License-Identifier: MIT
#include "engine/address_index.hpp"

#include <atomic>
#include <cstddef>
#include <mutex>

#include "base/base.hpp"

namespace memprof::engine {
namespace {

// Chains of nodes. A writer locks the shard of its bucket, and makes the shard's version odd while
// it changes a chain. A reader that found nothing relies on it only if the version was even and
// did not change, because a node that it passed may have been recycled into another chain. The
// reader's loads are acquire loads, so that it reads the version again after them.
struct node {
  std::atomic<void const*> address{nullptr};
  std::atomic<std::uint32_t> next{0};
  std::uint32_t index = 0;
};

struct alignas(64) shard {
  base::spin_lock lock;
  std::atomic<std::uint32_t> version{0};
};

constexpr std::size_t bucket_count = std::size_t{1} << 16;
constexpr std::size_t shard_count = 64;

constinit base::index_pool<node> nodes;
constinit std::atomic<std::uint32_t> buckets[bucket_count]{};
constinit shard shards[shard_count]{};

std::size_t bucket_of(void const* address) noexcept {
  // Fibonacci hashing: the high bits of the product depend on all bits of the address.
  return static_cast<std::size_t>(reinterpret_cast<std::uintptr_t>(address) * 0x9E3779B97F4A7C15u >>
                                  48);
}

/// Makes readers of the shard search again. The chain itself stays whole after each store.
class change {
 public:
  explicit change(shard& s) noexcept : lock_(s.lock), shard_(s) {
    shard_.version.fetch_add(1, std::memory_order_seq_cst);
  }
  ~change() { shard_.version.fetch_add(1, std::memory_order_seq_cst); }

 private:
  std::lock_guard<base::spin_lock> lock_;
  shard& shard_;
};

bool in_chain(std::size_t bucket, void const* address) noexcept {
  for (std::uint32_t n = buckets[bucket].load(std::memory_order_acquire); n != 0;
       n = nodes[n].next.load(std::memory_order_acquire)) {
    if (nodes[n].address.load(std::memory_order_acquire) == address) return true;
  }
  return false;
}

bool may_be_present(shard const& s, std::size_t bucket, void const* address) noexcept {
  for (int attempt = 0; attempt < 4; ++attempt) {
    const std::uint32_t before = s.version.load(std::memory_order_seq_cst);
    if (in_chain(bucket, address)) return true;
    if ((before & 1) == 0 && s.version.load(std::memory_order_seq_cst) == before) return false;
  }
  return true;  // too much traffic: search under the lock
}

}  // namespace

bool insert_address(void const* address, std::uint32_t index) noexcept {
  const std::uint32_t n = nodes.acquire();
  if (n == 0) return false;
  const std::size_t bucket = bucket_of(address);
  change changing{shards[bucket % shard_count]};
  // Release: a reader that still passes this node, in the chain of another shard that it was taken
  // out of, must find that shard's version changed.
  nodes[n].address.store(address, std::memory_order_release);
  nodes[n].index = index;
  nodes[n].next.store(buckets[bucket].load(std::memory_order_relaxed), std::memory_order_release);
  buckets[bucket].store(n, std::memory_order_release);
  return true;
}

std::uint32_t take_address(void const* address) noexcept {
  const std::size_t bucket = bucket_of(address);
  shard& s = shards[bucket % shard_count];
  if (!may_be_present(s, bucket, address)) return 0;
  change changing{s};
  std::atomic<std::uint32_t>* link = &buckets[bucket];
  while (true) {
    const std::uint32_t n = link->load(std::memory_order_relaxed);
    if (n == 0) return 0;
    if (nodes[n].address.load(std::memory_order_relaxed) == address) {
      const std::uint32_t index = nodes[n].index;
      link->store(nodes[n].next.load(std::memory_order_relaxed), std::memory_order_release);
      nodes.release(n);
      return index;
    }
    link = &nodes[n].next;
  }
}

void reset_address_index_after_fork() noexcept {
  for (shard& s : shards) {
    s.lock.reset();
    if (s.version.load(std::memory_order_relaxed) % 2 != 0) s.version.fetch_add(1);
  }
}

}  // namespace memprof::engine
