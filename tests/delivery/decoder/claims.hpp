// SPDX-License-Identifier: MIT
/// \file
/// What our decoder claims about an instruction, held against Zydis.
#pragma once

#include <string>

#include "decoder/zydis_reading.hpp"
#include "delivery/x86_64/decoder.hpp"

namespace memprof::test {

/// The first claim of `ours` that `theirs` contradicts; empty if there is none.
///
/// Of an instruction that our decoder follows, all it says must be true: what it does, its
/// operands, the registers and memory it writes, its target. Of the rest (op::other) it may name
/// too many registers and too much memory, never too little.
std::string contradiction(delivery::x86_64::instruction const& ours, zydis_reading const& theirs);

/// Our reading in a line, for messages.
std::string text_of(delivery::x86_64::instruction const& ours);

}  // namespace memprof::test
