// SPDX-License-Identifier: MIT
/// \file
/// The stretches of code of which the program said itself what they let through.
#pragma once

#include <cstdint>

#include "memprof/delivery.hpp"

namespace memprof::delivery {

/// What was decreed for `pc`; `by_tables` if nothing was. One load while there are no decrees, else
/// some for each. Any thread, lock-free.
delivery_through decreed_for(std::uintptr_t pc) noexcept;

/// The limit function: every handler in it passes on what was meant for an outer one. Set as often
/// as one likes.
void set_limit_function(std::uintptr_t code) noexcept;
bool is_in_limit_function(std::uintptr_t pc) noexcept;

}  // namespace memprof::delivery
