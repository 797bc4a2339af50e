// SPDX-License-Identifier: MIT
#include "delivery/reader/frame_scratch.hpp"

#include <array>
#include <atomic>
#include <type_traits>

#include "base/base.hpp"

namespace memprof::delivery {
namespace {

// Blocks that are not in use. Taking one leaves null.
constinit std::array<std::atomic<frame_scratch*>, 4> spare{};

}  // namespace

borrowed_scratch::borrowed_scratch() noexcept : block_(nullptr) {
  for (auto& place : spare) {
    if (place.load(std::memory_order_relaxed) == nullptr) continue;
    // Acquire: what its last user wrote comes before what we write.
    block_ = place.exchange(nullptr, std::memory_order_acquire);
    if (block_ != nullptr) return;
  }
  void* const pages = base::map_pages(sizeof(frame_scratch));
  // No constructor runs, so pages that are not needed are not touched; its users reset what they
  // use.
  static_assert(std::is_trivially_copyable_v<frame_scratch>);
  block_ = static_cast<frame_scratch*>(pages);
}

borrowed_scratch::~borrowed_scratch() {
  if (block_ == nullptr) return;
  for (auto& place : spare) {
    frame_scratch* expected = nullptr;
    if (place.compare_exchange_strong(expected, block_, std::memory_order_release,
                                      std::memory_order_relaxed)) {
      return;
    }
  }
  base::unmap_pages(block_, sizeof(frame_scratch));
}

}  // namespace memprof::delivery
