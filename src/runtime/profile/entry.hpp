// SPDX-License-Identifier: MIT
/// \file
/// Entries: what a profile keeps for each block that it tracks. The engine's tag is the index.
///
///     busy <--> idle ----> dropping ----> dropped
///                  |           |
///                  +-----------+--------> abandoned
///
///  - `dropping`: its data is being destroyed, because the session is closed.
///  - `dropped`: done: the thread that has its tag recycles it.
///  - `abandoned`: its tag was dropped first: the thread that drops its data recycles it, too.
///
/// An entry belongs to the thread that has its tag; the engine's calls for one block come one after
/// another. Only `discard` comes in between: it takes the data of idle entries. The data of a busy
/// entry is left to the thread that uses it.
#pragma once

#include <atomic>
#include <cstdint>

#include "memprof/sampling.hpp"

#include "profile/session.hpp"

namespace memprof::profiling {

enum class entry_state : std::uint32_t { unused, busy, idle, dropping, dropped, abandoned };

struct entry {
  /// | number of the session: 32 | state: 32 |: at once, because entries are recycled.
  std::atomic<std::uint64_t> status{0};
  session* of = nullptr;
  std::uint32_t number = 0;  ///< of that session
  std::uint32_t next_postponed = 0;
  bool major = false;  ///< it holds a Major, not a Minor
  detail::block_data data;
};

/// A busy entry of a session that the caller is inside of; 0 if there is no memory.
std::uint32_t open_entry(session& s) noexcept;
entry& entry_at(std::uint32_t index) noexcept;
/// Recycles an entry without data.
void close_entry(entry& e, std::uint32_t index) noexcept;

/// Of a thread that exits.
void give_back_spare_entry() noexcept;

/// The caller, inside the session, has finished with the data for now. False: the session has been
/// closed, `abandon` the entry.
bool make_idle(entry& e, std::uint32_t index) noexcept;

/// Makes an idle entry busy again, inside its session. False: `abandon` it.
bool make_busy(entry& e) noexcept;

/// Gives up an entry whose session is closed, and its tag: it is recycled, here or elsewhere.
void abandon(std::uint32_t index) noexcept;

/// Destroys the data of all idle entries of a session that the caller has closed.
void drop_entries(session& s) noexcept;

}  // namespace memprof::profiling
