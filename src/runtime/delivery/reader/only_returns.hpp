// SPDX-License-Identifier: MIT
/// \file
/// Whether the code behind a call does nothing but return.
#pragma once

#include <cstdint>

#include "callstack/callstack.hpp"
#include "delivery/processor.hpp"

namespace memprof::delivery {

/// Whether the code at `address` (a return address), up to the return of its procedure `p`, on
/// every path only loads, computes in registers and moves the stack pointer. Then it makes no
/// difference to anybody but its caller whether an exception passes the frame or the call returns:
/// nothing is released, written or called there, as if the call had stood in the place of the
/// return.
///
/// Reads some dozen instructions at most; what is longer, or not understood, does more than return.
bool only_returns(module_code const& module, callstack::procedure const& p,
                  std::uintptr_t address) noexcept;

}  // namespace memprof::delivery
