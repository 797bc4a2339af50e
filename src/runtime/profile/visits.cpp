// SPDX-License-Identifier: MIT
#include "profile/visits.hpp"

#include "engine/engine.hpp"

namespace memprof::profiling {

constinit thread_local own_visit this_thread_visits;

namespace {

constinit base::index_pool<visit, 5> visits;

}  // namespace

// For a thread whose exit will be noticed.
bool open_word() noexcept {
  if (!engine::current.keeps) return false;
  const std::uint32_t index = visits.acquire();
  if (index == 0) return false;
  visits[index].index = index;
  this_thread_visits = {.word = &visits[index], .to = nullptr};
  return true;
}

bool is_visited(std::uint32_t number) noexcept {
  for (std::uint32_t i = 1; i <= visits.highest(); ++i) {
    // Acquire: what a thread did inside comes before what the caller does once it has left.
    if (visits[i].now.load(std::memory_order_acquire) == number) return true;
  }
  return false;
}

void give_back_visit() noexcept {
  visit const* const word = this_thread_visits.word;
  this_thread_visits = {};
  if (word != nullptr) visits.release(word->index);
}

void reset_visits_after_fork() noexcept {
  for (std::uint32_t i = 1; i <= visits.highest(); ++i) {
    if (&visits[i] != this_thread_visits.word) visits[i].now.store(0, std::memory_order_relaxed);
  }
}

}  // namespace memprof::profiling
