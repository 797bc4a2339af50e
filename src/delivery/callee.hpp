// SPDX-License-Identifier: MIT
/// \file
/// What a function called from a landing pad may do, as far as its own code tells.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "delivery/call_target.hpp"
#include "delivery/lsda.hpp"
#include "delivery/module_code.hpp"
#include "delivery/x86_decoder.hpp"

namespace memprof::delivery {

struct callee_facts {
  bool returns = false;     ///< or: not known
  bool terminates = false;  ///< it may call std::terminate
  bool throws = false;      ///< a new exception may leave it
  bool rethrows = false;    ///< the one being handled may leave it
  bool exits = false;       ///< it may end the process otherwise
  bool unclear = false;     ///< it may longjmp and the like
};

/// Reads functions three calls deep along their ordinary code, both sides of each branch. Landing
/// pads of theirs are not entered: what counts is what happens if nothing is thrown in there.
///
/// What lies deeper, in other modules, or behind pointers is taken to return.
///
/// Large: lives in `frame_scratch`.
class callee_reader {
 public:
  /// Forgets what was read before; to be called before the first use for a frame.
  void reset() noexcept;

  callee_facts examine(module_code const& module, std::uintptr_t function) noexcept {
    return examine(module, function, 0);
  }

 private:
  static constexpr unsigned deepest = 3;

  /// The places where reading goes on, each once.
  class trail {
   public:
    void reset() noexcept;
    /// False if there is no more room.
    bool add(std::uintptr_t address) noexcept;
    bool take(std::uintptr_t& address) noexcept;

   private:
    static constexpr std::size_t size = 512;
    std::array<std::uintptr_t, size> seen_;      // open addressing; 0 is free
    std::array<std::uintptr_t, size / 2> next_;  // seen and not yet read
    std::size_t seen_count_;
    std::size_t next_count_;
  };
  struct known_function {
    std::uintptr_t address;
    callee_facts facts;
  };

  callee_facts examine(module_code const& module, std::uintptr_t function, unsigned depth) noexcept;
  void read_from(module_code const& module, std::uintptr_t at, unsigned depth,
                 callee_facts& facts) noexcept;
  bool goes_on_after_call(module_code const& module, call_target const& target, std::uintptr_t next,
                          unsigned depth, callee_facts& facts) noexcept;
  bool transfer(module_code const& module, x86::instruction const& jump, std::uintptr_t next,
                unsigned depth, callee_facts& facts) noexcept;

  std::array<trail, deepest> trails_;
  std::array<known_function, 256> known_;
  std::size_t known_count_;
  unsigned instructions_left_;
};

}  // namespace memprof::delivery
