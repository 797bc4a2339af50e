// SPDX-License-Identifier: MIT
/// \file
/// Code ranges for which the program itself has set what they let through.
#pragma once

#include <cstdint>

#include "memprof/delivery.hpp"

namespace memprof::delivery {

/// What the program has set for `pc`; `by_tables` if nothing. One load while there are no
/// overrides, else some for each. Any thread, lock-free.
delivery_through override_at(std::uintptr_t pc) noexcept;

/// The limit function: every handler in it passes on what was meant for an outer one. Set as often
/// as one likes.
void set_limit_function(std::uintptr_t code) noexcept;
bool limits_were_entered() noexcept;
bool is_in_limit_function(std::uintptr_t pc) noexcept;

}  // namespace memprof::delivery
