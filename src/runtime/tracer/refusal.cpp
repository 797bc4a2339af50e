// SPDX-License-Identifier: MIT
#include "tracer/refusal.hpp"

#include "tracer/relay_session.hpp"

namespace memprof::tracer {

bool is_refused_by_recorder(std::size_t size) noexcept {
  if (the_relay.current.load(std::memory_order_relaxed) == nullptr) [[likely]]
    return false;
  const relay_use use;
  if (use.area() == nullptr || use.closed()) return false;
  relay::control& shared = use.area()->shared;
  const std::uint64_t room = shared.largest_request.load(std::memory_order_relaxed);
  if (room == 0 || size <= room) return false;
  shared.last_refused.store(size, std::memory_order_relaxed);
  shared.refusals.fetch_add(1, std::memory_order_release);  // and what is above
  return true;
}

}  // namespace memprof::tracer
