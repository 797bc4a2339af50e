// SPDX-License-Identifier: MIT
#include "memprof/process.hpp"

#include <algorithm>
#include <stdexcept>

#include "copies/copies.hpp"
#include "engine/engine.hpp"
#include "limits/abandoned_scopes.hpp"
#include "limits/limit_totals.hpp"
#include "limits/scope.hpp"
#include "limits/soft_limits.hpp"

namespace memprof::inline v0 {
namespace {

void check_confidence(double confidence) {
  if (!(confidence > 0.0 && confidence < 1.0)) {
    throw std::invalid_argument("memprof: confidence " + std::to_string(confidence) +
                                " is not in (0, 1)");
  }
}

}  // namespace

bool is_active() noexcept {
  if (auto const* const other = copies::other()) return other->is_active();
  engine::ensure_started();
  return engine::has_source() && engine::configuration_error() == nullptr;
}

sampling_rate process_sampling_rate() noexcept {
  if (auto const* const other = copies::other()) return other->process_sampling_rate();
  engine::ensure_started();
  return sampling_rate{engine::configured_process_rate()};
}

void set_process_sampling_rate(sampling_rate rate) noexcept {
  if (auto const* const other = copies::other()) return other->set_process_sampling_rate(rate);
  engine::ensure_started();
  engine::configure_process_rate(rate.per_word());
  engine::rearm();
}

sampling_rate limit_sampling_rate() noexcept {
  if (auto const* const other = copies::other()) return other->limit_sampling_rate();
  engine::ensure_started();
  return sampling_rate{engine::limit_rate()};
}

void set_limit_sampling_rate(sampling_rate rate) noexcept {
  if (auto const* const other = copies::other()) return other->set_limit_sampling_rate(rate);
  engine::ensure_started();
  engine::configure_limit_rate(rate.per_word());
}

void set_seed(std::uint64_t seed) noexcept {
  if (auto const* const other = copies::other()) return other->set_seed(seed);
  engine::ensure_started();
  engine::configure_seed(seed);
  engine::restart_random();
}

words nursery() noexcept {
  if (auto const* const other = copies::other()) return other->nursery();
  engine::ensure_started();
  return words{engine::nursery_words.load(std::memory_order_relaxed)};
}

void set_nursery(words size) {
  if (auto const* const other = copies::other()) return other->set_nursery(size);
  if (size.count() < 1) {
    throw std::invalid_argument("memprof::set_nursery: " + std::to_string(size.count()) +
                                " words; at least 1 is needed");
  }
  engine::ensure_started();
  engine::nursery_words.store(size.count(), std::memory_order_relaxed);
}

estimate live_memory(double confidence) {
  if (auto const* const other = copies::other()) return other->live_memory(confidence);
  check_confidence(confidence);
  return engine::amount_of_process().with(confidence);
}

estimate live_major_memory(double confidence) {
  if (auto const* const other = copies::other()) return other->live_major_memory(confidence);
  check_confidence(confidence);
  return engine::amount_of_process(engine::process_totals.major).with(confidence);
}

process_counters counters() noexcept {
  if (auto const* const other = copies::other()) return other->counters();
  engine::ensure_started();
  constexpr auto relaxed = std::memory_order_relaxed;
  auto const& t = engine::process_totals;
  process_counters c;
  const engine::sampled_counts sampled = engine::sampled_so_far();
  c.sampled_blocks = sampled.blocks;
  c.samples = sampled.samples;
  c.promotions = t.promotions.load(relaxed);
  c.tracked_blocks = static_cast<std::uint64_t>(
      std::max<std::int64_t>(0, engine::minor_in_use().blocks + t.major.blocks.load(relaxed)));
  c.dropped_blocks = t.dropped_blocks.load(relaxed);
  c.aligned_blocks = t.aligned_blocks.load(relaxed);
  c.deferrals = detail::limit_totals.deferrals.load(relaxed);
  c.scopes = detail::scopes_entered();
  c.tokens = static_cast<std::uint64_t>(
      std::max<std::int64_t>(0, detail::limit_totals.tokens.load(relaxed)));
  c.preflight_time = std::chrono::nanoseconds{detail::limit_totals.preflight_time.load(relaxed)};
  c.callback_failures = detail::callback_failures();
  c.seed = engine::process_seed();
  for (const limit_kind kind : all_limit_kinds) {
    c.hits[kind] = detail::limit_totals.hits[static_cast<std::size_t>(kind)].load(relaxed);
    c.interrupts[kind] =
        detail::limit_totals.interrupts[static_cast<std::size_t>(kind)].load(relaxed);
    c.interrupted_tasks[kind] =
        detail::limit_totals.interrupted_tasks[static_cast<std::size_t>(kind)].load(relaxed);
  }
  return c;
}

}  // namespace memprof::inline v0
