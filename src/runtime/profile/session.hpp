// SPDX-License-Identifier: MIT
/// \file
/// Sessions: a profile from its start until its handle is gone.
///
/// Records are recycled and their memory is never freed, so a thread may try to enter a session
/// that is over: it sees that by the gate, which holds the session's own number.
///
///     gate = | number: 32 | closed: 1 | ended: 1 | inside: 30 |
///
/// Threads say that they are inside by a word of their own (visits.hpp); those that cannot, and who
/// closes the session, are counted in the gate. `discard` closes the gate; threads that are inside
/// still finish. The last one to leave destroys the session's functions. So no thread waits in
/// malloc or free, and nothing is destroyed while it is being called.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>

namespace memprof::inline v0::detail {

class tracker_functions;

struct profile_session {
  std::atomic<std::uint64_t> gate{0};
  std::atomic<std::uint32_t> over{0};  ///< 1: the functions are gone. Waited for
  std::atomic<bool> sampling{false};
  std::atomic<std::uint32_t> references{0};  ///< the handle, and the open gate
  std::uint32_t index = 0;
  std::uint32_t number = 0;      ///< as in its gate
  std::uint32_t generation = 0;  ///< of the engine: that of its rate
  std::size_t callstack_size = 0;
  tracker_functions* functions = nullptr;
  std::atomic<std::uint64_t> failures{0};
  std::atomic<std::uint32_t> failure_state{0};  ///< 1: being written, 2: there
  std::exception_ptr failure;
  bool shown = false;  ///< to LeakSanitizer, with what it holds
};

}  // namespace memprof::inline v0::detail

namespace memprof::profiling {

using session = detail::profile_session;

/// A session that no thread is inside; null if there is no memory.
session* open_session() noexcept;
session& session_at(std::uint32_t index) noexcept;
/// The number of this session, for a thread that may arrive after its end.
std::uint32_t number_of(session const& s) noexcept;

/// Whether it is the session of this number still, and not closed.
inline bool is_open(session const& s, std::uint32_t number) noexcept {
  constexpr int bits_below = 31;  // of the number and `closed`
  return s.gate.load(std::memory_order_acquire) >> bits_below == std::uint64_t{number} << 1;
}

/// Enters, counted in the gate, so that the functions stay. False if the gate is closed, or the
/// record now belongs to another session.
bool enter(std::uint32_t index, std::uint32_t number) noexcept;
/// The last thread to leave a closed session destroys its functions.
void leave(session& s) noexcept;
/// The same by a thread that was inside by its visit, which has ended.
[[gnu::cold]] void end_if_last(session& s, std::uint32_t number) noexcept;
/// False if it was closed already. Else the caller is inside, counted, and sees all visits.
bool close(session& s) noexcept;
bool is_closed(session const& s) noexcept;

/// Waits until the functions are destroyed. Not from inside.
void wait_until_over(session& s) noexcept;

/// Drops the handle's or the gate's reference.
void release(session& s) noexcept;

/// For a forked child: of the threads inside only this one exists there, `times` inside the session
/// `mine` (if that is not 0), counted. After `reset_visits_after_fork`.
void reset_sessions_after_fork(std::uint32_t mine, std::uint32_t times) noexcept;

}  // namespace memprof::profiling
