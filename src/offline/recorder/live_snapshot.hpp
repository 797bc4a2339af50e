// SPDX-License-Identifier: MIT
/// \file
/// What processes have in use at one moment, as a trace: what reads traces reads it, too.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "recorder/live_blocks.hpp"

namespace memprof::recorder {

/// A trace in memory, of the allocations of all blocks that live now. Several processes are one in
/// it: the same place in the same module has the same code.
class live_snapshot {
 public:
  /// of          at least one that has begun; the first gives its name and id.
  /// throws      std::system_error if there is no memory for it.
  /// cost        some us for a block.
  explicit live_snapshot(std::span<live_blocks* const> of);
  ~live_snapshot();
  live_snapshot(live_snapshot const&) = delete;
  live_snapshot& operator=(live_snapshot const&) = delete;

  /// A name under which this process may read it, while this exists.
  [[nodiscard]] std::string file() const;
  /// Microseconds from the start of the trace to the moment of the snapshot.
  [[nodiscard]] std::uint64_t age() const noexcept { return age_; }

 private:
  void write(std::span<live_blocks* const> of);

  int descriptor_;
  std::uint64_t age_ = 0;
};

}  // namespace memprof::recorder
