// SPDX-License-Identifier: MIT
/// \file
/// What a function allocates, for tests of the sources.
#pragma once

#include <cstddef>
#include <cstdint>

#include "memprof/limits.hpp"
#include "memprof/units.hpp"

namespace memprof::test {

/// What a block of `size` bytes counts.
inline bytes counted_of(std::size_t size) {
  return block_words(bytes{static_cast<std::int64_t>(size)});
}

/// What `f` allocates, and what of it is live afterwards.
struct amounts {
  bytes allocated, live;
};
template <class F>
amounts amounts_of(F&& f) {
  budget account(limits{.memory = max_allocation_limit});
  auto const r = account.run(f);
  return {.allocated = r.value().allocated, .live = account.live().value};
}

}  // namespace memprof::test
