// SPDX-License-Identifier: MIT
#include "engine/observers.hpp"

#include <algorithm>
#include <atomic>
#include <utility>

#include "engine/estimate_audit.hpp"
#include "engine/observer_calls.hpp"
#include "engine/process_state.hpp"
#include "engine/thread_state.hpp"

namespace memprof::engine {
namespace {

// | generation: 31 | being changed: 1 |. A thread that finds a change under way adopts a
// generation that never is, and tries again when `rate_version` has changed.
struct slot_state {
  std::atomic<double> per_word{0.0};
  std::atomic<std::uint32_t> sequence{0};
  observer functions{};  ///< written before the first rate
};

constexpr std::uint32_t no_generation = ~std::uint32_t{0};

constinit slot_state slots[observer_slots]{};
constexpr consumer consumer_of[observer_slots]{consumer::trace, consumer::profile};

slot_state& state_of(observer_slot slot) noexcept { return slots[static_cast<std::size_t>(slot)]; }

class notifying {
 public:
  notifying() noexcept : before_(std::exchange(current.notifying, true)) {}
  ~notifying() { current.notifying = before_; }
  notifying(notifying const&) = delete;
  notifying& operator=(notifying const&) = delete;

 private:
  bool before_;
};

adopted_rate look_at(slot_state const& slot) noexcept {
  const std::uint32_t before = slot.sequence.load(std::memory_order_seq_cst);
  const double per_word = slot.per_word.load(std::memory_order_seq_cst);
  const bool whole = before % 2 == 0 && slot.sequence.load(std::memory_order_seq_cst) == before;
  return {.per_word = per_word, .generation = whole ? before / 2 : no_generation};
}

}  // namespace

void install_observer(observer_slot slot, observer const& functions) noexcept {
  state_of(slot).functions = functions;
}

void set_observer_rate(observer_slot slot, double per_word) noexcept {
  ensure_started();
  slot_state& p = state_of(slot);
  p.sequence.fetch_add(1, std::memory_order_seq_cst);
  p.per_word.store(per_word, std::memory_order_seq_cst);
  p.sequence.fetch_add(1, std::memory_order_seq_cst);
  rates_changed();
  rearm();
}

std::uint32_t observer_generation(observer_slot slot) noexcept {
  return state_of(slot).sequence.load(std::memory_order_acquire) / 2;
}

double highest_observer_rate() noexcept {
  double highest = 0.0;
  for (slot_state const& p : slots) {
    highest = std::max(highest, p.per_word.load(std::memory_order_relaxed));
  }
  return highest;
}

double adopt_observer_rates() noexcept {
  double highest = 0.0;
  for (std::size_t i = 0; i < observer_slots; ++i) {
    current.observed[i] = look_at(slots[i]);
    highest = std::max(highest, current.observed[i].per_word);
  }
  current.observed_any = highest > 0.0;
  return highest;
}

observer_tags notify_allocated(new_block const& block, bool minor) noexcept {
  observer_tags tags{};
  if (!current.observed_any || current.notifying) return tags;
  const notifying now;
  const double sampled_at = rate_of_block();
  for (std::size_t i = 0; i < observer_slots; ++i) {
    // A copy: a slot's function may change rates.
    const adopted_rate adopted = current.observed[i];
    if (adopted.per_word <= 0.0) continue;
    if (current.block.before_pause && current.block.not_for[i]) continue;
    if (slots[i].sequence.load(std::memory_order_acquire) != adopted.generation * 2) continue;
    const std::uint64_t n =
        sampling::thin(current.random, block.n_samples, sampled_at, adopted.per_word);
    check_thinned(consumer_of[i], block.n_samples, n, sampled_at, adopted.per_word);
    if (n == 0) continue;
    tags[i] = slots[i].functions.allocated(
        {.block = block, .n_samples = n, .minor = minor, .generation = adopted.generation});
  }
  return tags;
}

void notify_interrupted(raised_interrupt const& what) noexcept {
  if (current.notifying) return;
  const notifying now;
  for (slot_state const& p : slots) {
    if (p.per_word.load(std::memory_order_acquire) > 0.0 && p.functions.interrupted != nullptr) {
      p.functions.interrupted(what);
    }
  }
}

observer_tags notify_promoted(observer_tags tags) noexcept {
  const notifying now;
  for (std::size_t i = 0; i < observer_slots; ++i) {
    if (tags[i] != 0 && !slots[i].functions.promoted(tags[i])) tags[i] = 0;
  }
  return tags;
}

void notify_freed(observer_tags const& tags, bool major) noexcept {
  if (!any_of(tags)) return;
  {
    const muted_section muted;
    const notifying now;
    for (std::size_t i = 0; i < observer_slots; ++i) {
      if (tags[i] != 0) slots[i].functions.freed(tags[i], major);
    }
  }
  // A slot's function may have changed its rate: adopt it, as an event does at its end.
  if (current.muted == 0 && current.started &&
      current.rate_version != rate_version.load(std::memory_order_relaxed)) {
    rearm();
  }
}

void reset_observers_after_fork() noexcept {
  for (slot_state& p : slots) {
    if (p.sequence.load(std::memory_order_relaxed) % 2 != 0) p.sequence.fetch_add(1);
  }
  rates_changed();
}

}  // namespace memprof::engine
