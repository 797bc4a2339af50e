// SPDX-License-Identifier: MIT
/// \file
/// What a call in a landing pad calls, through whatever the linker put between.
#pragma once

#include <cstdint>

#include "delivery/reader/frame_outcome.hpp"
#include "modules/modules.hpp"

namespace memprof::delivery {

using modules::module_code;

struct call_target {
  runtime_function function = runtime_function::none;
  std::uintptr_t local = 0;  ///< code of the same module that can be followed; 0: elsewhere
};

/// The function at `address`, which may be a stub of the PLT.
call_target target_at(module_code const& module, std::uintptr_t address) noexcept;

/// The function whose address is in `slot` (of the GOT), or will be once it has been bound.
call_target target_in_slot(module_code const& module, std::uintptr_t slot) noexcept;

/// If there is a stub of the PLT at `address`, the slot that it jumps through; else 0. The
/// processor's part (x86_plt_stub.cpp, aarch64_plt_stub.cpp).
std::uintptr_t slot_of_stub(module_code const& module, std::uintptr_t address) noexcept;

}  // namespace memprof::delivery
