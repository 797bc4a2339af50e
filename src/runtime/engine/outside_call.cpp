// SPDX-License-Identifier: MIT
#include "engine/outside_call.hpp"

namespace memprof::engine {
namespace {

constinit std::atomic<void (*)() noexcept> answerer{nullptr};

}  // namespace

constinit std::atomic<std::uint32_t> outside_call{0};

void on_outside_call(void (*answer)() noexcept) noexcept {
  answerer.store(answer, std::memory_order_release);
}

void answer_outside_call() noexcept {
  // Acquire: what the caller wrote before. One of the threads that come at the same time answers.
  if (outside_call.exchange(0, std::memory_order_acquire) == 0) return;
  if (auto* const answer = answerer.load(std::memory_order_acquire)) answer();
}

}  // namespace memprof::engine
