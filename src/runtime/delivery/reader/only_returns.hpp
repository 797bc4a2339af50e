// SPDX-License-Identifier: MIT
/// \file
/// Whether the code behind a call does nothing but return.
#pragma once

#include <cstdint>

#include "callstack/callstack.hpp"
#include "modules/modules.hpp"

namespace memprof::delivery {

using modules::module_code;

/// Whether the code at `address` (a return address), up to the return of its procedure `p`, on
/// every path only loads, computes in registers and moves the stack pointer. Then it makes no
/// difference to anybody but its caller whether an exception passes the frame or the call returns:
/// nothing is released, written or called there, as if the call had stood in the place of the
/// return.
///
/// Reads some dozen instructions at most; what is longer, or not understood, does more than return.
bool only_returns(module_code const& module, callstack::procedure const& p,
                  std::uintptr_t address) noexcept;

/// One instruction, as far as `only_returns` asks.
struct return_step {
  enum class kind : std::uint8_t {
    more,   ///< stores, calls somebody unknown, sets a mode of the processor, is not understood
    stays,  ///< changes nothing but registers and flags
    returns,
    calls,    ///< `target`
    jumps,    ///< to `target`
    branches  ///< to `target`, or goes on
  };
  kind what = kind::more;
  unsigned length = 0;  ///< bytes
  std::uintptr_t target = 0;
};

/// The instruction at `address`: the processor's part (x86_return_step.cpp,
/// aarch64_return_step.cpp).
return_step return_step_at(module_code const& module, std::uintptr_t address) noexcept;

}  // namespace memprof::delivery
