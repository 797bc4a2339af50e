// SPDX-License-Identifier: MIT
/// \file
/// Which mnemonics of Zydis are meant by the operations of our decoder.
#pragma once

#include <Zydis/Zydis.h>

#include "delivery/x86_64/decoder.hpp"

namespace memprof::test {

/// Does `mnemonic` do what our decoder says, under the condition it says? Always true of op::other,
/// which says nothing of what is done.
bool means_same(delivery::x86_64::instruction const& ours, ZydisMnemonic mnemonic) noexcept;

char const* name_of(delivery::x86_64::op what) noexcept;

}  // namespace memprof::test
