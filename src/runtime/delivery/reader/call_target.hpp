// SPDX-License-Identifier: MIT
/// \file
/// What a call in a landing pad calls, through whatever the linker put between.
#pragma once

#include <cstdint>

#include "delivery/processor.hpp"
#include "delivery/reader/frame_outcome.hpp"

namespace memprof::delivery {

struct call_target {
  runtime_function function = runtime_function::none;
  std::uintptr_t local = 0;  ///< code of the same module that can be followed; 0: elsewhere
};

/// The function at `address`, which may be a stub of the PLT.
call_target target_at(module_code const& module, std::uintptr_t address) noexcept;

/// The function whose address is in `slot` (of the GOT), or will be once it has been bound.
call_target target_in_slot(module_code const& module, std::uintptr_t slot) noexcept;

/// The function that a call or jump goes to; none if that is not known.
call_target target_of(module_code const& module, destination const& to) noexcept;

}  // namespace memprof::delivery
