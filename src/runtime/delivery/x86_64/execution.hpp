// SPDX-License-Identifier: MIT
/// \file
/// What single instructions do to a `machine_state`.
#pragma once

#include <cstdint>
#include <optional>

#include "delivery/x86_64/decoder.hpp"
#include "delivery/x86_64/machine_state.hpp"
#include "modules/modules.hpp"

namespace memprof::delivery {

using modules::module_code;

/// Applies an instruction that neither jumps nor calls.
void execute(x86_64::instruction const& i, module_code const& module,
             machine_state& state) noexcept;

/// Whether a condition (low four bits of the opcode) holds; empty if that is not known.
std::optional<bool> holds(flags const& status, std::uint8_t condition) noexcept;

/// What an operand holds, cut to its size.
value evaluate(x86_64::operand const& o, module_code const& module,
               machine_state const& state) noexcept;

}  // namespace memprof::delivery
