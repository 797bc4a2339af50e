// SPDX-License-Identifier: MIT
#include "limits/abandoned_scopes.hpp"

#include <atomic>
#include <new>
#include <type_traits>

#include "base/base.hpp"
#include "callstack/callstack.hpp"
#include "engine/engine.hpp"
#include "limits/suspension.hpp"

namespace memprof::inline v0::detail {
namespace {

static_assert(std::is_trivially_destructible_v<scope>);

struct place {
  overdue_note note;  // outlives the scopes that lie here one after the other
  /// Scopes that were here. Written by the thread that has the place, read by any.
  std::atomic<std::int64_t> entered{0};
  alignas(scope) unsigned char bytes[sizeof(scope)];
};

constinit base::index_pool<place, 6> places;  // so an index has at most 6 + 14 bits
constinit thread_local base::spare_index spare;
constinit std::atomic<bool> watching_exits{false};

/// Its function is gone.
void drop_innermost(scope& s) noexcept {
  this_thread_limits.mask_depth = s.mask_depth_at_entry;
  unlink(s);
  places.release(s.index);
}

void at_thread_exit() noexcept {
  while (scope* const s = this_thread_limits.innermost) drop_innermost(*s);
  spare.give_back(places);
}

std::uintptr_t boundary_of(scope const& s) noexcept {
  return reinterpret_cast<std::uintptr_t>(s.boundary);
}

bool is_on_stack_of(suspension const& task, std::uintptr_t frame) noexcept {
  return frame >= task.stack_low && frame < task.stack_high;
}

/// Whether `frame` is further out than the limit function. Only addresses of one stack, the
/// thread's own or that of the task that runs on it, can be compared.
bool may_be_abandoned(scope const& s, std::uintptr_t frame) noexcept {
  if (boundary_of(s) >= frame) return false;
  suspension const* const task = this_thread_limits.running;
  if (task != nullptr && is_on_stack_of(*task, frame)) return is_on_stack_of(*task, boundary_of(s));
  return callstack::is_on_own_stack(frame) && callstack::is_on_own_stack(boundary_of(s));
}

}  // namespace

scope_memory::scope_memory(scope_request const& request) {
  if (!watching_exits.load(std::memory_order_relaxed)) [[unlikely]] {
    watching_exits.store(engine::on_thread_exit(&at_thread_exit), std::memory_order_relaxed);
  }
  const std::uint32_t index = spare.acquire(places);
  if (index == 0) throw std::bad_alloc();
  scope_ = ::new (static_cast<void*>(places[index].bytes)) scope{request};
  scope_->index = index;
  base::add_alone{}(places[index].entered, 1);
  scope_->overdue.note = &places[index].note;
}

scope_memory::~scope_memory() {
  if (scope_ == nullptr) return;
  const bool may_keep = engine::current.keeps && watching_exits.load(std::memory_order_relaxed);
  spare.release(places, scope_->index, may_keep);
}

std::uint64_t scopes_entered() noexcept {
  std::int64_t sum = 0;
  for (std::uint32_t i = 1; i <= places.highest(); ++i) {
    sum += places[i].entered.load(std::memory_order_relaxed);
  }
  return static_cast<std::uint64_t>(sum);
}

std::uint32_t highest_scope() noexcept { return places.highest(); }
overdue_note& note_of_scope(std::uint32_t index) noexcept { return places[index].note; }

void drop_scopes_below(std::uintptr_t frame) noexcept {
  const engine::event settle;
  while (scope* const s = this_thread_limits.innermost) {
    if (!may_be_abandoned(*s, frame)) return;
    drop_innermost(*s);
  }
}

bool drop_scopes_inside(scope& s) noexcept {
  for (scope const* i = this_thread_limits.innermost; i != &s; i = i->outer) {
    if (i == nullptr || !may_be_abandoned(*i, boundary_of(s))) return false;
  }
  const engine::event settle;
  while (this_thread_limits.innermost != &s) drop_innermost(*this_thread_limits.innermost);
  return true;
}

void drop_scope(scope& s) noexcept {
  unlink(s);
  places.release(s.index);
}

}  // namespace memprof::inline v0::detail
