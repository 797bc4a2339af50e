// SPDX-License-Identifier: MIT
/// \file
/// The sessions that threads are inside of: each thread says so in a word of its own, without a
/// locked instruction. Only who closes a session pays, by a heavy barrier.
///
///     a thread: writes the session's number, light barrier, leaves again if the gate is closed
///     discard:  closes the gate, heavy barrier, looks at the words
///
/// So whoever is not seen there sees the gate closed: when it enters, and also when it leaves.
///
/// Threads without a word (their exit will not be noticed, or there is no memory) are counted in
/// the gate, as those that close a session are.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/base.hpp"
#include "profile/session.hpp"

namespace memprof::profiling {

/// The number of the session that a thread is inside of, or 0.
struct alignas(64) visit {
  std::atomic<std::uint32_t> now{0};
  std::uint32_t index = 0;  ///< in the pool
};

struct own_visit {
  visit* word = nullptr;
  session* to = nullptr;  ///< the last one
};
extern constinit thread_local own_visit this_thread_visits;

/// False: this thread has no word.
[[gnu::cold]] bool open_word() noexcept;

enum class visited { inside, closed, no_word };

/// This thread, which is inside of no session, enters one. `closed`: it has not. Then its visit may
/// have been seen: `end_visit` comes all the same.
inline visited begin_visit(session& s, std::uint32_t number) noexcept {
  own_visit& own = this_thread_visits;
  if (own.word == nullptr && !open_word()) [[unlikely]]
    return visited::no_word;
  own.to = &s;
  own.word->now.store(number, std::memory_order_relaxed);
  base::light_barrier();
  return is_open(s, number) ? visited::inside : visited::closed;
}

/// The number of the session that this thread visits; 0: none.
inline std::uint32_t visit_now() noexcept {
  visit const* const word = this_thread_visits.word;
  return word != nullptr ? word->now.load(std::memory_order_relaxed) : 0;
}

/// Leaves it. The last thread to leave a closed session destroys its functions.
inline void end_visit() noexcept {
  own_visit const& own = this_thread_visits;
  const std::uint32_t number = visit_now();
  own.word->now.store(0, std::memory_order_release);
  base::light_barrier();
  if (!is_open(*own.to, number)) [[unlikely]]
    end_if_last(*own.to, number);
}

/// For who has closed session `number`, and made a heavy barrier: whether any thread is inside.
bool is_visited(std::uint32_t number) noexcept;

/// Of a thread that exits.
void give_back_visit() noexcept;
/// In a forked child: other threads are not there.
void reset_visits_after_fork() noexcept;

}  // namespace memprof::profiling
