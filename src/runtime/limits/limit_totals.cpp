// SPDX-License-Identifier: MIT
#include "limits/limit_totals.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "memprof/delivery.hpp"

#include "copies/copies.hpp"

namespace memprof::inline v0 {
namespace detail {
namespace {

/// Of a reason; there are fewer than so many. Filled from the front; a reason that is null ends
/// them.
struct reason_total {
  std::atomic<char const*> reason{nullptr};
  std::atomic<std::uint64_t> count{0};
};
constinit std::array<reason_total, 48> by_reason{};

}  // namespace

void count_deferral(char const* reason) noexcept {
  limit_totals.deferrals.fetch_add(1, std::memory_order_relaxed);
  for (reason_total& t : by_reason) {
    char const* seen = t.reason.load(std::memory_order_relaxed);
    if (seen == nullptr) {
      t.reason.compare_exchange_strong(seen, reason, std::memory_order_relaxed);
      if (seen == nullptr) seen = reason;
    }
    if (seen != reason) continue;
    t.count.fetch_add(1, std::memory_order_relaxed);
    return;
  }
}

}  // namespace detail

std::vector<deferral_count> deferrals_by_reason() {
  if (auto const* const other = copies::other()) return other->deferrals_by_reason();
  std::vector<deferral_count> all;
  for (detail::reason_total const& t : detail::by_reason) {
    char const* const reason = t.reason.load(std::memory_order_relaxed);
    if (reason == nullptr) break;
    const std::uint64_t count = t.count.load(std::memory_order_relaxed);
    // Two literals may have the same text.
    const auto known = std::ranges::find_if(
        all, [&](deferral_count const& c) { return std::strcmp(c.reason, reason) == 0; });
    if (known != all.end()) {
      known->count += count;
    } else {
      all.push_back({reason, count});
    }
  }
  return all;
}

}  // namespace memprof::inline v0
