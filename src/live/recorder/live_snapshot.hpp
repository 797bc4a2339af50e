// SPDX-License-Identifier: MIT
/// \file
/// What processes have in use at one moment, as a trace: what reads traces reads it, too.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "memprof/trace/info.hpp"

#include "recorder/live_blocks.hpp"
#include "recorder/trace_in_memory.hpp"

namespace memprof::recorder {

/// A trace in memory, of the allocations of all blocks that live now. Several processes are one in
/// it: the same place in the same module has the same code.
class live_snapshot {
 public:
  /// \param of at least one that has begun; the first gives its name and id.
  /// \throws std::system_error if there is no memory for it.
  /// \note Cost: some us for a block.
  explicit live_snapshot(std::span<live_blocks* const> of);

  /// A name under which this process may read it, while this exists.
  [[nodiscard]] std::string file() const { return memory_.file(); }
  /// Microseconds from the start of the trace to the moment of the snapshot.
  [[nodiscard]] std::uint64_t age() const noexcept { return age_; }

 private:
  trace_in_memory memory_;
  std::uint64_t age_ = 0;
};

/// What a trace of them says of itself, but for its start. `of` is not empty; the first gives its
/// name, id and rate.
[[nodiscard]] trace::info info_of_live(std::span<live_blocks* const> of);

}  // namespace memprof::recorder
