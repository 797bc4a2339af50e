// SPDX-License-Identifier: MIT
#include "memprof/poisonable.hpp"

namespace memprof::inline v0 {

poisoned::poisoned()
    : std::runtime_error(
          "memprof: shared state is marked bad: a task was interrupted while it "
          "changed it") {}

namespace detail {

void throw_poisoned() { throw poisoned(); }

}  // namespace detail
}  // namespace memprof::inline v0
