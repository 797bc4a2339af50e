// SPDX-License-Identifier: MIT
#include "profile/frames.hpp"

#include <algorithm>
#include <new>

#include "base/base.hpp"
#include "callstack/callstack.hpp"

namespace memprof::profiling {
namespace {

struct buffer {
  std::uintptr_t* memory = nullptr;
};

constinit base::index_pool<buffer> pool;

/// Room for the longest stack; null if there is none.
std::uintptr_t* memory_of(std::uint32_t index) noexcept {
  buffer& b = pool[index];
  if (b.memory == nullptr) {
    b.memory = static_cast<std::uintptr_t*>(
        base::map_pages(callstack::largest_stack * sizeof(std::uintptr_t)));
  }
  return b.memory;
}

}  // namespace

frames::frames(std::size_t most, void const* frame) noexcept {
  if (most == 0) return;
  std::span<std::uintptr_t> room{near_.data(), std::min(most, near_.size())};
  if (most > near_.size() && (buffer_ = pool.acquire()) != 0) {
    if (std::uintptr_t* const memory = memory_of(buffer_)) {
      room = {memory, std::min(most, callstack::largest_stack)};
    }
  }
  const std::size_t n = callstack::capture(room, frame);
  void** addresses = nullptr;
  for (std::size_t i = n; i-- > 0;) {
    const std::uintptr_t address = room[i];
    addresses = ::new (static_cast<void*>(&room[i])) void*(reinterpret_cast<void*>(address));
  }
  taken_ = {addresses, n};
}

frames::~frames() {
  if (buffer_ != 0) pool.release(buffer_);
}

}  // namespace memprof::profiling
