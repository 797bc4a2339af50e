// SPDX-License-Identifier: MIT
#include "fiber/stack_memory.hpp"

#include <array>
#include <atomic>
#include <sys/mman.h>

#include "base/base.hpp"

// LeakSanitizer does not look into mapped memory by itself; null where there is none.
extern "C" {
[[gnu::weak]] void __lsan_register_root_region(void const* begin, std::size_t size);
[[gnu::weak]] void __lsan_unregister_root_region(void const* begin, std::size_t size);
}

namespace memprof::fiber {
namespace {

// The idle stacks: a slot each, taken and given by a single exchange. What describes the stack lies
// in its topmost bytes. 64 stacks of at most 1 MiB; others are returned to the kernel.
constexpr std::size_t pool_slots = 64;
constexpr std::size_t largest_pooled = std::size_t{1} << 20;

struct idle_stack {
  stack s;
};

constinit std::array<std::atomic<idle_stack*>, pool_slots> pool{};
/// An estimate of how many slots, from the first one on, are in use: saves checking all of them.
constinit std::atomic<int> idle{0};

idle_stack* note_place(stack const& s) noexcept {
  return reinterpret_cast<idle_stack*>(s.top() - sizeof(idle_stack));
}

stack take_idle(std::size_t size, bool guarded) noexcept {
  if (idle.load(std::memory_order_relaxed) <= 0) return {};
  for (auto& slot : pool) {
    if (slot.load(std::memory_order_relaxed) == nullptr) continue;
    idle_stack* const found = slot.exchange(nullptr, std::memory_order_acquire);
    if (found == nullptr) continue;
    if (found->s.size == size && (found->s.guard != 0) == guarded) {
      idle.fetch_sub(1, std::memory_order_relaxed);
      return found->s;
    }
    idle_stack* none = nullptr;
    if (!slot.compare_exchange_strong(none, found, std::memory_order_release)) {
      idle.fetch_sub(1, std::memory_order_relaxed);
      release_stack(found->s, true);
    }
  }
  return {};
}

bool give_idle(stack const& s) noexcept {
  if (s.size > largest_pooled || idle.load(std::memory_order_relaxed) >= int{pool_slots}) {
    return false;
  }
  idle_stack* const note = note_place(s);
  note->s = s;
  for (auto& slot : pool) {
    idle_stack* none = nullptr;
    if (slot.load(std::memory_order_relaxed) == nullptr &&
        slot.compare_exchange_strong(none, note, std::memory_order_release)) {
      idle.fetch_add(1, std::memory_order_relaxed);
      return true;
    }
  }
  return false;
}

}  // namespace

stack obtain_stack(std::size_t size, bool guarded, bool pooled) noexcept {
  size = base::whole_pages(size);
  stack s = pooled ? take_idle(size, guarded) : stack{};
  if (s.low == nullptr) {
    const std::size_t guard = guarded ? base::whole_pages(guard_size) : 0;
    void* const memory = mmap(nullptr, size + guard, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) return {};
    s = {.low = static_cast<char*>(memory) + guard, .size = size, .guard = guard};
    if (guarded && mprotect(memory, guard, PROT_NONE) != 0) {
      munmap(memory, size + guard);
      return {};
    }
  }
  if (__lsan_register_root_region != nullptr) __lsan_register_root_region(s.low, s.size);
  return s;
}

void release_stack(stack const& s, bool pooled) noexcept {
  if (__lsan_unregister_root_region != nullptr) __lsan_unregister_root_region(s.low, s.size);
  if (pooled && give_idle(s)) return;
  munmap(s.low - s.guard, s.size + s.guard);
}

}  // namespace memprof::fiber
