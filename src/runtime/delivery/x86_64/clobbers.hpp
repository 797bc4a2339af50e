// SPDX-License-Identifier: MIT
/// \file
/// What the instructions destroy that are not followed any closer.
#pragma once

#include "delivery/x86_64/decoder.hpp"
#include "delivery/x86_64/encoding.hpp"

namespace memprof::delivery::x86_64 {

/// Fills `clobbers`, `keeps_flags`, `writes_memory` and `writes_anything`; rather too much than too
/// little.
void find_clobbers(encoding const& f, instruction& i) noexcept;

}  // namespace memprof::delivery::x86_64
