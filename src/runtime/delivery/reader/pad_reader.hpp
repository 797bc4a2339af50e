// SPDX-License-Identifier: MIT
/// \file
/// Reads the code of a landing pad: where may an exception end that enters it?
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "delivery/reader/callee_reader.hpp"
#include "delivery/reader/lsda.hpp"
#include "delivery/reader/pad_blocks.hpp"
#include "delivery/reader/pad_outcomes.hpp"
#include "delivery/reader/this_processor.hpp"

namespace memprof::delivery {

/// Interprets pads with what the processor knows of registers and stack, and follows both sides of
/// a branch that this does not decide.
///
/// Large: lives in `frame_scratch`.
class pad_reader {
 public:
  /// To be called before the first pad of a frame.
  void reset() noexcept;

  /// Reads the pad of `entry`, where an exception of this type arrives. Adds what it leads to: to
  /// `ends`, and to `next` what is raised again within the frame.
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
    processor::values values;
  };
  void walk(path& p) noexcept;
  bool step(path& p, processor::instruction const& i) noexcept;
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
