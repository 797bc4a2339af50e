// SPDX-License-Identifier: MIT
/// \file
/// Random instructions: libraries hold few of those that hardly any compiler emits.
#pragma once

#include <array>
#include <random>

namespace memprof::test {

/// As many bytes as the longest instruction has.
using encoding_bytes = std::array<unsigned char, 15>;

/// Bytes that begin like an instruction: perhaps prefixes, an escape to one of the maps of opcodes
/// (as often to each), an opcode; the rest is random. About a quarter are instructions that exist.
encoding_bytes random_encoding(std::mt19937_64& random);

}  // namespace memprof::test
