// SPDX-License-Identifier: MIT
/// \file
/// Entries: what a profile keeps for each block that it tracks. The engine's tag is the index.
///
///     busy <--> idle ----> dropping ----> dropped
///                  |           |
///                  +-----------+--------> abandoned
///
/// dropping     its data is being destroyed, for the session is closed.
/// dropped      done: whoever has its tag recycles it.
/// abandoned    its tag has come before: who drops it recycles it, too.
///
/// An entry belongs to who has its tag, for the engine calls for one block one after another; only
/// `discard` comes from the side, and takes the data of those that are idle. A busy one is seen to
/// by the thread that is busy with it.
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
  std::uint32_t session = 0;
  std::uint32_t number = 0;
  std::uint32_t next_postponed = 0;
  bool major = false;  ///< whose data it holds
  detail::block_data data;
};

/// A busy entry of a session that the caller is inside of; 0 if there is no memory.
std::uint32_t open_entry(session const& s) noexcept;
entry& entry_at(std::uint32_t index) noexcept;
/// Recycles an entry without data.
void close_entry(std::uint32_t index) noexcept;

/// Of a thread that exits.
void give_back_spare_entry() noexcept;

/// The caller has finished with its data for now. Inside the session. False: the session was
/// closed meanwhile: `abandon` it.
bool make_idle(std::uint32_t index) noexcept;

/// Takes an idle entry up again, inside its session. False: `abandon` it.
bool make_busy(std::uint32_t index) noexcept;

/// Gives up an entry whose session is closed, and its tag: it is recycled, here or elsewhere.
void abandon(std::uint32_t index) noexcept;

/// Destroys the data of all idle entries of a session that the caller has closed.
void drop_entries(session& s) noexcept;

}  // namespace memprof::profiling
