// SPDX-License-Identifier: MIT
/// \file
/// The blocks of this process as the page computes with them: docs/serve.md, "The index".
#pragma once

#include <cstdint>
#include <string>

#include "endpoints/code_names.hpp"
#include "endpoints/live_profile.hpp"

namespace memprof::endpoints {

/// The index of a snapshot.
///
/// \param facts becomes what its head says of the trace.
[[nodiscard]] std::string packed_blocks(block_snapshot const& s, code_names& names,
                                        std::uint64_t generation, std::string& facts);

}  // namespace memprof::endpoints
