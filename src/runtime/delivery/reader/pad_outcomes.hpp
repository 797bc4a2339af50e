// SPDX-License-Identifier: MIT
/// \file
/// What a reader of landing pads finds, whatever the processor.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/base.hpp"
#include "delivery/reader/lsda.hpp"

namespace memprof::delivery {

/// The ends that were found reachable.
struct pad_outcomes {
  bool passes = false;
  bool translates = false;
  bool swallows = false;
  bool terminates = false;
  bool exits = false;    ///< abort and the like
  bool unclear = false;  ///< something was not understood
};

/// An exception on its way: at `pc` in the same frame.
struct arrival {
  std::uintptr_t pc = 0;
  thrown type = thrown::limit;
};

/// Arrivals still to be looked up, each once.
class arrivals {
 public:
  void reset() noexcept {
    all_.clear();
    taken_ = 0;
  }
  /// False if there is no more room.
  bool add(arrival a) noexcept;
  bool take(arrival& a) noexcept;

 private:
  base::bounded_list<arrival, 128> all_;
  std::size_t taken_;
};

}  // namespace memprof::delivery
