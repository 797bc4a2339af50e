// SPDX-License-Identifier: MIT
/// \file
/// Reads the code of a landing pad: where may an exception end that enters it?
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "delivery/reader/callee.hpp"
#include "delivery/reader/lsda.hpp"
#include "delivery/reader/pad_blocks.hpp"
#include "delivery/reader/pad_outcomes.hpp"
#include "modules/modules.hpp"

namespace memprof::delivery {

/// Interprets pads with what is known of registers and stack, following both sides of a branch that
/// is not decided by what is known.
///
/// Large: lives in `frame_scratch`.
class pad_reader {
 public:
  /// To be called before the first pad of a frame.
  void reset() noexcept;

  /// Reads from the pad of `entry` on, adds to `ends`, and what is raised again within the frame
  /// to `next`.
  void read(module_code const& module, landing const& entry, thrown type, pad_outcomes& ends,
            arrivals& next) noexcept;

 private:
  /// One path through a pad, up to where it ends or meets a known block.
  struct path {
    module_code const* module;
    std::uintptr_t entry;  ///< the pad
    pad_outcomes* ends;
    arrivals* arriving;
    thrown type;
    std::uintptr_t at;
    std::uintptr_t next;  ///< behind the instruction being read
    std::uintptr_t run;   ///< where this run began: a jump's target, or behind a call
    bool handling;        ///< __cxa_begin_catch has been called
    machine_state state;
  };
  void walk(path& p) noexcept;
  bool step(path& p, x86_64::instruction const& i) noexcept;
  bool call(path& p, call_target const& target) noexcept;
  void tail_call(path& p, call_target const& target) noexcept;
  void jump(path& p, std::uintptr_t target) noexcept;
  void reach(path& p, std::uintptr_t address) noexcept;
  bool throw_again(path& p, thrown type) noexcept;

  pad_blocks blocks_;
  callee_reader callees_;
  callstack::procedure procedure_;  // the one being read
  path path_;
  unsigned instructions_left_;
};

}  // namespace memprof::delivery
