// SPDX-License-Identifier: MIT
/// \file
/// What a function called from a landing pad may do, as far as its own code tells: AArch64.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "delivery/aarch64/flow.hpp"
#include "delivery/reader/callee_facts.hpp"

namespace memprof::delivery::aarch64 {

/// Reads functions along their ordinary code, and those that they call, six deep or, if that is too
/// much to read, two. What lies deeper, in other modules, or behind pointers is taken to return.
///
/// Large: lives in `frame_scratch`.
class callee_reader {
 public:
  /// To be called before the first use for a frame.
  void reset() noexcept;

  callee_facts examine(module_code const& module, std::uintptr_t function) noexcept;

 private:
  static constexpr unsigned deepest = 6;
  struct known_function {
    std::uintptr_t address;
    unsigned levels;  ///< how deep it was read
    callee_facts facts;
  };
  class visitor;

  callee_facts read(module_code const& module, std::uintptr_t function, unsigned levels) noexcept;
  known_function* remembered(std::uintptr_t function) noexcept;

  std::array<flow, deepest> flows_;
  std::array<known_function, 256> known_;
  std::size_t known_count_;
  unsigned instructions_left_;  // for the function being examined
  unsigned total_left_;         // for all of a frame
  bool cut_short_;              // something was left out for lack of room or instructions
};

}  // namespace memprof::delivery::aarch64
