// SPDX-License-Identifier: MIT
/// \file
/// What the service counts itself, beside what the library counts.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string_view>

#include <memprof/interrupted.hpp>
#include <memprof/units.hpp>

namespace example::server {

/// How a request to evaluate ended. The first five are those of `memprof::limit_kind`.
enum class outcome : std::uint8_t {
  allocations,
  memory,
  global_memory,
  token,
  deadline,
  ok,
  invalid,
  busy
};
inline constexpr std::array<std::string_view, 8> outcome_names{
    "allocations", "memory", "global memory", "token", "deadline", "ok", "invalid", "busy"};

constexpr outcome outcome_of(memprof::limit_kind kind) noexcept {
  return static_cast<outcome>(kind);
}
static_assert(outcome_of(memprof::limit_kind::deadline) == outcome::deadline);

/// threads     any. The counters do not order anything: relaxed.
class request_counters {
 public:
  void add(outcome o, memprof::bytes allocated = {}) noexcept {
    requests_[static_cast<std::size_t>(o)].fetch_add(1, std::memory_order_relaxed);
    allocated_.fetch_add(allocated.count(), std::memory_order_relaxed);
  }
  [[nodiscard]] std::uint64_t requests(outcome o) const noexcept {
    return requests_[static_cast<std::size_t>(o)].load(std::memory_order_relaxed);
  }
  void add_pause() noexcept { pauses_.fetch_add(1, std::memory_order_relaxed); }
  /// Requests that were paused at their soft budget.
  [[nodiscard]] std::uint64_t pauses() const noexcept {
    return pauses_.load(std::memory_order_relaxed);
  }
  /// By the tasks that finished.
  [[nodiscard]] memprof::bytes allocated() const noexcept {
    return memprof::bytes{allocated_.load(std::memory_order_relaxed)};
  }

 private:
  std::array<std::atomic<std::uint64_t>, outcome_names.size()> requests_{};
  std::atomic<std::int64_t> allocated_{0};
  std::atomic<std::uint64_t> pauses_{0};
};

}  // namespace example::server
