// SPDX-License-Identifier: MIT
/// \file
/// Functions of other components that the engine calls at a certain moment.
#pragma once

#include <atomic>

namespace memprof::engine {

/// Filled from the front, never emptied. Any thread, lock-free: also inside malloc.
class handler_list {
 public:
  /// Once, however often it is added. False if there is no slot left.
  bool add(void (*handler)()) noexcept {
    for (auto& slot : slots_) {
      void (*found)() = nullptr;
      if (slot.compare_exchange_strong(found, handler, std::memory_order_acq_rel)) return true;
      if (found == handler) return true;
    }
    return false;
  }
  /// In the order in which they were added.
  void call() const noexcept {
    for (auto const& slot : slots_) {
      auto* const handler = slot.load(std::memory_order_acquire);
      if (handler == nullptr) break;
      handler();
    }
  }

 private:
  std::atomic<void (*)()> slots_[16]{};
};

}  // namespace memprof::engine
