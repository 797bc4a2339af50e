// SPDX-License-Identifier: MIT
//
// Flags: -fno-exceptions
#include "special/no_exceptions_body.hpp"
#include "special/special.hpp"

void call_without_exceptions(void (*f)()) { call_guarded(f); }
bool no_exceptions_lock_is_free() noexcept { return !locked; }
