// SPDX-License-Identifier: MIT
#include "profile/entry.hpp"

#include "base/base.hpp"
#include "engine/engine.hpp"

namespace memprof::profiling {
namespace {

constinit base::index_pool<entry> entries;
constinit thread_local base::spare_index spare;

constexpr std::uint64_t status_of(std::uint32_t number, entry_state state) noexcept {
  return std::uint64_t{number} << 32 | static_cast<std::uint32_t>(state);
}

bool change(entry& e, std::uint32_t number, entry_state from, entry_state to) noexcept {
  std::uint64_t expected = status_of(number, from);
  return e.status.compare_exchange_strong(expected, status_of(number, to),
                                          std::memory_order_seq_cst);
}

/// If it is an idle or abandoned one of this session.
void drop(session& s, std::uint32_t index) noexcept {
  entry& e = entries[index];
  if (change(e, s.number, entry_state::idle, entry_state::dropping)) {
    s.functions->destroy(e.data, e.major);
    if (!change(e, s.number, entry_state::dropping, entry_state::dropped)) close_entry(e, index);
  } else if (change(e, s.number, entry_state::abandoned, entry_state::dropping)) {
    s.functions->destroy(e.data, e.major);
    close_entry(e, index);
  }
}

}  // namespace

std::uint32_t open_entry(session& s) noexcept {
  const std::uint32_t index = spare.acquire(entries);
  if (index == 0) return 0;
  entry& e = entries[index];
  e.of = &s;
  e.number = s.number;
  e.status.store(status_of(s.number, entry_state::busy), std::memory_order_relaxed);
  return index;
}

entry& entry_at(std::uint32_t index) noexcept { return entries[index]; }

void close_entry(entry& e, std::uint32_t index) noexcept {
  e.status.store(0, std::memory_order_relaxed);
  spare.release(entries, index, engine::current.keeps);
}

void give_back_spare_entry() noexcept { spare.give_back(entries); }

// The store and the check of the gate here, the closing and the check of entries in `drop_entries`:
// with the barriers between them one of the two sees the other.
bool make_idle(entry& e, std::uint32_t index) noexcept {
  session& s = *e.of;
  e.status.store(status_of(e.number, entry_state::idle), std::memory_order_release);
  base::light_barrier();
  if (!is_closed(s)) return true;
  drop(s, index);
  return false;
}

bool make_busy(entry& e) noexcept {
  return change(e, e.number, entry_state::idle, entry_state::busy);
}

void abandon(std::uint32_t index) noexcept {
  entry& e = entries[index];
  if (change(e, e.number, entry_state::idle, entry_state::abandoned)) return;
  if (change(e, e.number, entry_state::dropping, entry_state::abandoned)) return;
  close_entry(e, index);
}

void drop_entries(session& s) noexcept {
  const std::uint32_t last = entries.highest();
  for (std::uint32_t index = 1; index <= last; ++index) drop(s, index);
}

}  // namespace memprof::profiling
