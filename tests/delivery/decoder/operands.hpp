// SPDX-License-Identifier: MIT
/// \file
/// Operands of our decoder against those of Zydis.
#pragma once

#include <string>

#include "decoder/zydis_reading.hpp"
#include "delivery/x86_64/decoder.hpp"

namespace memprof::test {

/// What is wrong with the operands that our decoder names for an instruction it follows; empty if
/// nothing is.
std::string check_operands(delivery::x86_64::instruction const& ours, zydis_reading const& theirs);

/// Do both mean the same address? True if ours makes no claim (`opaque`).
bool same_address(delivery::x86_64::operand const& ours, ZydisDecodedOperand const& theirs,
                  zydis_reading const& reading) noexcept;

/// An operand in a few words, for messages.
std::string text_of(delivery::x86_64::operand const& ours);

}  // namespace memprof::test
