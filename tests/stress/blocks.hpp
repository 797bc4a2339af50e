// SPDX-License-Identifier: MIT
/// \file
/// The blocks of a stress program: in slots that all threads share, filled, checked when freed.
#pragma once

#include <cstdint>

#include "model.hpp"
#include "program.hpp"

namespace stress {

/// Carries out an operation that obtains or frees a block.
void on_block(context& c, op const& o);

/// Frees what is in all slots, when no other thread runs any more. Returns its words and blocks.
struct freed {
  std::int64_t words = 0;
  std::uint64_t blocks = 0;
};
freed free_all();

}  // namespace stress
