// SPDX-License-Identifier: MIT
/// \file
/// What single instructions do to a `machine_state`.
#pragma once

#include <cstdint>
#include <optional>

#include "delivery/processor.hpp"
#include "delivery/x86_64/decoder.hpp"
#include "delivery/x86_64/machine_state.hpp"

namespace memprof::delivery::x86_64 {

/// Applies an instruction that neither jumps nor calls.
void execute(instruction const& i, module_code const& module, machine_state& state) noexcept;

/// Whether a condition (low four bits of the opcode) holds; empty if that is not known.
std::optional<bool> holds(flags const& status, std::uint8_t condition) noexcept;

/// What an operand holds, cut to its size.
value evaluate(operand const& o, module_code const& module, machine_state const& state) noexcept;

}  // namespace memprof::delivery::x86_64
