// SPDX-License-Identifier: MIT
/// \file
/// What lies in the shared memory: a page for all, then channels, one for each recorded process.
///
/// A memfd of a fixed size, sparse. The recorder makes it, or a program to which one attaches;
/// programs map it, or as much of its beginning as they may. Processes find a free channel by
/// atomics alone, so a forked child needs nothing but the mapping that it has.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "relay/ring.hpp"

namespace memprof::relay {

/// Changes whenever anything in this folder changes its meaning.
inline constexpr std::uint64_t magic = 0x0006'79616c6572706dULL;  // "mprelay", layout 6

/// free ---> taken ---> used ---> (the recorder empties it) ---> free
enum class channel_state : std::uint32_t { free, taken, used };

/// The way of one process to the recorder.
///
///  - `process`: its id, as it sees it itself; written before `used`.
///  - `visible`: it is in the recorder's pid namespace, as far as it knows: the id names it there.
///  - `dropped`: events that found the ring full for too long.
struct channel {
  std::atomic<channel_state> state{channel_state::free};
  std::int32_t process = 0;
  std::uint32_t visible = 0;
  std::atomic<std::uint64_t> dropped{0};
  alignas(ring::header_bytes) ring events;
};

/// Of who takes the records: a nap ends when a ring gets crowded; who is idle is woken by any
/// record.
enum class sleep_state : std::uint32_t { awake, nap, idle };

/// For all processes.
struct control {
  /// Processes of which the recorder learns nothing else.
  static constexpr std::size_t most_noted = 960;

  std::uint64_t magic = 0;
  std::uint64_t cookie = 0;         ///< random: a descriptor with the same number is not ours
  std::uint64_t pid_namespace = 0;  ///< the recorder's (inode); 0: unknown
  std::uint32_t children = 0;       ///< processes that the first one starts are recorded, too
  std::atomic<std::int32_t> first_process{0};  ///< which stays the same when it executes another
  std::atomic<std::uint32_t> closed{0};        ///< the recorder has ended: nobody needs to push
  /// Whether and how the recorder sleeps. A futex.
  std::atomic<sleep_state> sleeping{};
  std::atomic<std::uint32_t> without_channel{0};  ///< processes that found no free channel
  /// 1: the recorder has attached to a program that made this memory. A futex.
  std::atomic<std::uint32_t> accepted{0};
  /// Bytes: of larger requests those that are sampled are refused. 0: none is. The recorder's word,
  /// and when it gave it last, in nanoseconds of CLOCK_MONOTONIC.
  std::atomic<std::uint64_t> largest_request{0};
  std::atomic<std::int64_t> largest_request_at{0};
  /// So many were, and the size of one of the last of them.
  std::atomic<std::uint64_t> refusals{0};
  std::atomic<std::uint64_t> last_refused{0};
  std::int32_t could_not_map = 0;  ///< errno of a process that could not map this (by pwrite)
  /// Children that were forked, counted before, and those of them that have reported: taken a
  /// channel or noted themselves. (A fork that fails is never reported.)
  std::atomic<std::uint32_t> forks{0};
  std::atomic<std::uint32_t> forks_reported{0};
  /// Ids of processes that are not recorded because `children` is 0; the first `most_noted`.
  std::atomic<std::uint32_t> others{0};
  std::array<std::int32_t, most_noted> other_processes{};
};

inline constexpr std::size_t control_bytes = 4096;
static_assert(sizeof(control) <= control_bytes);

inline constexpr std::size_t most_channels = 128;

struct area {
  alignas(control_bytes) control shared;
  std::array<channel, most_channels> channels;
};

/// What a mapping of the first `channels` channels takes.
constexpr std::size_t bytes_with(std::size_t channels) noexcept {
  return control_bytes + channels * sizeof(channel);
}
static_assert(sizeof(area) == bytes_with(most_channels));

}  // namespace memprof::relay
