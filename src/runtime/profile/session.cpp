// SPDX-License-Identifier: MIT
#include "profile/session.hpp"

#include <algorithm>
#include <limits>

#include "memprof/sampling.hpp"

#include "base/base.hpp"
#include "profile/visits.hpp"

// LeakSanitizer does not look into mapped memory by itself; null where there is none.
extern "C" [[gnu::weak]] void __lsan_register_root_region(void const* begin, std::size_t size);

namespace memprof::profiling {
namespace {

constexpr std::uint64_t closed_bit = std::uint64_t{1} << 31;
constexpr std::uint64_t ended_bit = closed_bit >> 1;
constexpr std::uint64_t inside_mask = ended_bit - 1;

constinit base::index_pool<session> sessions;
constinit std::atomic<std::uint32_t> next_number{0};

std::uint32_t number_in(std::uint64_t gate) noexcept {
  return static_cast<std::uint32_t>(gate >> 32);
}

/// Its functions are reached through it alone. Records are reused and never unmapped, so once does.
void show_to_leak_sanitizer(session& s) noexcept {
  if (__lsan_register_root_region == nullptr || s.shown) return;
  __lsan_register_root_region(&s, sizeof s);
  s.shown = true;
}

void end(session& s) noexcept {
  delete s.functions;
  s.functions = nullptr;
  s.over.store(1, std::memory_order_release);
  s.over.notify_all();
  release(s);
}

}  // namespace

session* open_session() noexcept {
  const std::uint32_t index = sessions.acquire();
  if (index == 0) return nullptr;
  base::open_process_barrier();
  session& s = sessions[index];
  show_to_leak_sanitizer(s);
  s.index = index;
  s.over.store(0, std::memory_order_relaxed);
  s.sampling.store(false, std::memory_order_relaxed);
  s.references.store(2, std::memory_order_relaxed);
  s.failures.store(0, std::memory_order_relaxed);
  s.failure_state.store(0, std::memory_order_relaxed);
  s.number = next_number.fetch_add(1, std::memory_order_relaxed) + 1;
  s.gate.store(std::uint64_t{s.number} << 32, std::memory_order_seq_cst);
  return &s;
}

session& session_at(std::uint32_t index) noexcept { return sessions[index]; }

std::uint32_t number_of(session const& s) noexcept { return s.number; }

bool enter(std::uint32_t index, std::uint32_t number) noexcept {
  std::atomic<std::uint64_t>& gate = sessions[index].gate;
  std::uint64_t seen = gate.load(std::memory_order_acquire);
  do {
    if (number_in(seen) != number || (seen & closed_bit) != 0) return false;
  } while (!gate.compare_exchange_weak(seen, seen + 1, std::memory_order_seq_cst));
  return true;
}

void leave(session& s) noexcept {
  std::uint64_t seen = s.gate.load(std::memory_order_relaxed);
  do {
    if ((seen & inside_mask) == 0) return;  // forked inside, and not counted there
  } while (!s.gate.compare_exchange_weak(seen, seen - 1, std::memory_order_seq_cst));
  if ((seen & closed_bit) != 0) end_if_last(s, number_in(seen));
}

// Of threads that leave at once at least one sees that the others have: each has left, and makes a
// full barrier, before it looks. One that still enters or leaves and is not seen here sees the gate
// closed, and comes here, too.
void end_if_last(session& s, std::uint32_t number) noexcept {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (is_visited(number)) return;
  std::uint64_t last = std::uint64_t{number} << 32 | closed_bit;
  if (s.gate.compare_exchange_strong(last, last | ended_bit, std::memory_order_acq_rel)) end(s);
}

bool close(session& s) noexcept {
  // As one more inside: nothing ends before the caller leaves.
  std::uint64_t seen = s.gate.load(std::memory_order_relaxed);
  do {
    if ((seen & closed_bit) != 0) return false;
  } while (!s.gate.compare_exchange_weak(seen, (seen + 1) | closed_bit, std::memory_order_seq_cst));
  base::heavy_barrier();
  return true;
}

bool is_closed(session const& s) noexcept {
  return (s.gate.load(std::memory_order_seq_cst) & closed_bit) != 0;
}

void wait_until_over(session& s) noexcept {
  while (s.over.load(std::memory_order_acquire) == 0) s.over.wait(0, std::memory_order_acquire);
}

void release(session& s) noexcept {
  if (s.references.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  s.failure = nullptr;
  sessions.release(s.index);
}

void reset_sessions_after_fork(std::uint32_t mine, std::uint32_t times) noexcept {
  for (std::uint32_t i = 1; i <= sessions.highest(); ++i) {
    session& s = sessions[i];
    const std::uint64_t inside = i == mine ? times : 0;
    const bool visiting = visit_now() == s.number;
    s.gate.store((s.gate.load(std::memory_order_relaxed) & ~inside_mask) | inside,
                 std::memory_order_relaxed);
    // Its functions are kept: a fork handler must not destroy them.
    if (is_closed(s) && inside == 0 && !visiting) s.over.store(1, std::memory_order_relaxed);
    if (s.failure_state.load(std::memory_order_relaxed) == 1) s.failure_state.store(0);
  }
}

}  // namespace memprof::profiling
