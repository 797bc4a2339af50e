// SPDX-License-Identifier: MIT
#include "limits/traced_hits.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <vector>

#include "memprof/process.hpp"

#include "copies/copies.hpp"
#include "engine/engine.hpp"

namespace memprof::inline v0 {
namespace detail {
namespace {

/// By limit_kind. The number beside the id is the time, in ns since the epoch of the system's
/// clock.
constinit std::array<base::versioned_text, all_limit_kinds.size()> last_traced_hits{};
constinit std::atomic<bool> watching_fork_for_traced_hits{false};

void repair_traced_hits() noexcept {
  for (base::versioned_text& t : last_traced_hits) t.repair_after_fork();
}

}  // namespace

void note_traced_hit(limit_kind kind) noexcept {
  const auto id = engine::trace_id_of(engine::current_labels);
  if (!id || id->length == 0) return;
  if (!watching_fork_for_traced_hits.exchange(true, std::memory_order_relaxed))
    engine::on_fork_in_child(&repair_traced_hits);
  const std::chrono::nanoseconds now = std::chrono::system_clock::now().time_since_epoch();
  last_traced_hits[static_cast<std::size_t>(kind)].replace(id->text(), now.count());
}

}  // namespace detail

std::vector<traced_hit> traced_hits() {
  if (auto const* const other = copies::other()) return other->traced_hits();
  std::vector<traced_hit> all;
  for (const limit_kind kind : all_limit_kinds) {
    const auto last = detail::last_traced_hits[static_cast<std::size_t>(kind)].read();
    if (!last || last->length == 0) continue;
    const auto when = std::chrono::duration_cast<std::chrono::system_clock::duration>(
        std::chrono::nanoseconds(last->number));
    all.push_back({.kind = kind,
                   .when = std::chrono::system_clock::time_point(when),
                   .trace_id = std::string(last->text())});
  }
  return all;
}

}  // namespace memprof::inline v0
