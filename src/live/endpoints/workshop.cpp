// SPDX-License-Identifier: MIT
#include "endpoints/workshop.hpp"

#include <atomic>
#include <memory>
#include <pthread.h>

namespace memprof::endpoints {
namespace {

constinit std::atomic<workshop*> current_workshop{nullptr};

/// A child has only one of the threads that were in the workshop, or waited.
void leave_workshop_in_child() { current_workshop.store(nullptr, std::memory_order_relaxed); }
[[maybe_unused]] int const watching_fork_for_workshop =
    pthread_atfork(nullptr, nullptr, &leave_workshop_in_child);

}  // namespace

workshop& the_workshop() {
  workshop* w = current_workshop.load(std::memory_order_acquire);
  if (w != nullptr) return *w;
  auto fresh = std::make_unique<workshop>();
  if (!current_workshop.compare_exchange_strong(w, fresh.get(), std::memory_order_acq_rel))
    return *w;
  return *fresh.release();
}

}  // namespace memprof::endpoints
