// SPDX-License-Identifier: MIT
#include "profile/calls.hpp"

#include <atomic>

#include "memprof/sampling.hpp"

#include "engine/engine.hpp"
#include "profile/call.hpp"
#include "profile/entry.hpp"
#include "profile/frames.hpp"
#include "profile/visits.hpp"

namespace memprof::profiling {
namespace {

// | number: 32 | index: 32 | of the session that samples, or 0. Only the thread that set it
// sets the engine's rate, until it is 0 again.
constinit std::atomic<std::uint64_t> sampler{0};

std::uint64_t id_of(session const& s) noexcept { return std::uint64_t{s.number} << 32 | s.index; }

allocation_source source_of(engine::source from) noexcept {
  switch (from) {
    case engine::source::operator_new:
      return allocation_source::operator_new;
    case engine::source::malloc:
      return allocation_source::malloc;
    case engine::source::resource:
      return allocation_source::resource;
    case engine::source::external:
      break;
  }
  return allocation_source::external;
}

words size_in_words(std::size_t size) noexcept {
  return words{static_cast<std::int64_t>(size / 8 + (size % 8 != 0 ? 1 : 0))};
}

/// Calls the tracker, inside the session.
engine::observer_tag ask(session& s, engine::observed_block const& b) noexcept {
  const std::uint32_t index = open_entry(s);
  if (index == 0) {
    engine::drop_block();
    return 0;
  }
  entry& e = entry_at(index);
  bool keep = false;
  try {
    const frames stack(s.callstack_size, b.block.frame);
    e.major = !b.minor;
    keep = s.functions->allocated({.n_samples = static_cast<std::size_t>(b.n_samples),
                                   .size = size_in_words(b.block.size),
                                   .source = source_of(b.block.from),
                                   .callstack = stack.taken(),
                                   .labels = engine::without_trace_id(engine::current_labels)},
                                  b.minor, e.data);
  } catch (...) {
    record_failure(s);
  }
  if (!keep) {
    close_entry(e, index);
    return 0;
  }
  if (make_idle(e, index)) return index;
  abandon(index);
  return 0;
}

engine::observer_tag on_allocated(engine::observed_block const& b) noexcept {
  if (in_user_call()) return 0;
  const std::uint64_t id = sampler.load(std::memory_order_acquire);
  const auto index = static_cast<std::uint32_t>(id);
  if (id == 0) return 0;
  const user_call call;
  session& s = session_at(index);
  if (!enter_here(s, static_cast<std::uint32_t>(id >> 32))) return 0;
  engine::observer_tag tag = 0;
  if (s.sampling.load(std::memory_order_acquire) && s.generation == b.generation &&
      s.functions->wants(b.minor)) {
    tag = ask(s, b);
  }
  leave_here(s);
  return tag;
}

/// Enters the session of an entry and makes the entry busy. Null: that failed, and the entry is
/// abandoned.
entry* take_up(std::uint32_t index) noexcept {
  entry& e = entry_at(index);
  if (enter_here(*e.of, e.number)) {
    if (make_busy(e)) return &e;
    leave_here(*e.of);
  }
  abandon(index);
  return nullptr;
}

bool on_promoted(engine::observer_tag tag) noexcept {
  const user_call call;
  entry* const taken = take_up(tag);
  if (taken == nullptr) return false;
  entry& e = *taken;
  session& s = *e.of;
  bool keep = false;
  try {
    keep = s.functions->promoted(e.data);
  } catch (...) {
    record_failure(s);
  }
  if (!keep) {
    close_entry(e, tag);
  } else {
    e.major = true;
    keep = make_idle(e, tag);
    if (!keep) abandon(tag);
  }
  leave_here(s);
  return keep;
}

void on_freed(engine::observer_tag tag, bool) noexcept {
  if (in_user_call()) return postpone_free(tag);
  const user_call call;
  free_entry(tag);
}

}  // namespace

void free_entry(std::uint32_t index) noexcept {
  entry* const taken = take_up(index);
  if (taken == nullptr) return;
  entry& e = *taken;
  session& s = *e.of;
  try {
    s.functions->freed(e.data, e.major);
  } catch (...) {
    record_failure(s);
  }
  close_entry(e, index);
  leave_here(s);
}

void install_calls() noexcept {
  static constinit std::atomic<bool> installed{false};
  if (installed.exchange(true, std::memory_order_acq_rel)) return;
  engine::install_observer(
      engine::observer_slot::profile,
      {.allocated = &on_allocated, .promoted = &on_promoted, .freed = &on_freed});
  engine::on_fork_in_child(&reset_calls_after_fork);
  engine::on_thread_exit(&give_back_spare_entry);
  engine::on_thread_exit(&give_back_visit);
  engine::on_left_by_jump(&end_call_left_by_jump);
}

bool begin_sampling(session& s, double per_word) noexcept {
  std::uint64_t none = 0;
  if (!sampler.compare_exchange_strong(none, id_of(s), std::memory_order_acq_rel)) return false;
  install_calls();
  s.generation = engine::observer_generation(engine::observer_slot::profile) + 1;
  s.sampling.store(true, std::memory_order_release);
  engine::set_observer_rate(engine::observer_slot::profile, per_word);
  return true;
}

bool end_sampling(session& s) noexcept {
  if (!s.sampling.exchange(false, std::memory_order_acq_rel)) return false;
  engine::set_observer_rate(engine::observer_slot::profile, 0.0);
  sampler.store(0, std::memory_order_release);
  return true;
}

}  // namespace memprof::profiling
