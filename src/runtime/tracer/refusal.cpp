// SPDX-License-Identifier: MIT
#include "tracer/refusal.hpp"

#include "base/base.hpp"
#include "tracer/relay_session.hpp"

namespace memprof::tracer {
namespace {

/// The recorder gives its word a hundred times a second.
constexpr std::int64_t longest_valid_ns = 5'000'000'000;

}  // namespace

bool is_refused_by_recorder(std::size_t size) noexcept {
  if (the_relay.current.load(std::memory_order_relaxed) == nullptr) [[likely]]
    return false;
  const relay_use use;
  if (use.area() == nullptr || use.closed()) return false;
  relay::control& shared = use.area()->shared;
  const std::uint64_t room = shared.largest_request.load(std::memory_order_relaxed);
  if (room == 0 || size <= room) return false;
  // A recorder that was killed could not take it back.
  const std::int64_t word = shared.largest_request_at.load(std::memory_order_relaxed);
  if (base::steady_nanoseconds() - word > longest_valid_ns) return false;
  shared.last_refused.store(size, std::memory_order_relaxed);
  shared.refusals.fetch_add(1, std::memory_order_release);  // and what is above
  return true;
}

}  // namespace memprof::tracer
