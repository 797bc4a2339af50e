// SPDX-License-Identifier: MIT
/// \file
/// The shared memory in a recorded program.
#pragma once

#include <cstddef>
#include <cstdint>
#include <sys/types.h>

#include "relay/area.hpp"

namespace memprof::relay {

/// The mapping; `shared` is null if there is none.
struct mapped_area {
  area* shared = nullptr;
  std::size_t channels = 0;   ///< that are mapped, from the first on
  std::int32_t recorder = 0;  ///< whose it is, as MEMPROF_RECORDER says; 0: not said

  explicit operator bool() const noexcept { return shared != nullptr; }
};

/// Maps the memory that MEMPROF_RECORDER names, if it is set: all of it where children are
/// recorded, too, else what one process needs that executes others. Of limited address space
/// (RLIMIT_AS) it takes a 16th. A failure to map is reported to the recorder, in its memory.
///
/// Opens and closes a descriptor for a moment at most; the one that was inherited stays open for
/// programs that are executed.
mapped_area attach() noexcept;

/// `most` channels, or as many as a limit on address space leaves to us.
std::size_t channels_under_limit(std::size_t most) noexcept;

/// Maps so many channels of the memory; errno says why not.
mapped_area map_area(int descriptor, std::size_t channels) noexcept;
/// Keeps errno.
void unmap_area(mapped_area const& what) noexcept;

/// Whether MEMPROF_RECORDER is set.
bool is_invited() noexcept;

/// A channel of its own for the calling process, in state `used`; null if none is free, which is
/// counted. Atomics and two system calls.
channel* take_channel(mapped_area const& in) noexcept;

/// Notes that this process is not recorded.
void note_other_process(mapped_area const& in) noexcept;

}  // namespace memprof::relay
