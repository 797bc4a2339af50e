// SPDX-License-Identifier: MIT
#include "profile/frames.hpp"

#include <cstring>

#include "base/base.hpp"
#include "callstack/callstack.hpp"

namespace memprof::profiling {
namespace {

struct buffer {
  std::uintptr_t* memory = nullptr;
};

constinit base::index_pool<buffer> buffers;

/// Room for the longest stack in a buffer that is kept in *at; none without memory.
std::span<std::uintptr_t> far_memory(void* at) noexcept {
  auto& index = *static_cast<std::uint32_t*>(at);
  index = buffers.acquire();
  if (index == 0) return {};
  buffer& b = buffers[index];
  if (b.memory == nullptr) {
    b.memory = static_cast<std::uintptr_t*>(
        base::map_pages(callstack::largest_stack * sizeof(std::uintptr_t)));
  }
  return {b.memory, b.memory != nullptr ? callstack::largest_stack : 0};
}

}  // namespace

frames::frames(std::size_t most, void const* frame) noexcept {
  if (most == 0) return;
  const std::span<std::uintptr_t> taken =
      callstack::capture(near_, most, frame, {.get = &far_memory, .context = &buffer_});
  if (taken.empty()) return;
  // The same bytes are pointers from here on: memmove begins the lives of what it copies. No code.
  void* const at = taken.data();
  taken_ = {static_cast<void**>(std::memmove(at, at, taken.size_bytes())), taken.size()};
}

frames::~frames() {
  if (buffer_ != 0) buffers.release(buffer_);
}

}  // namespace memprof::profiling
