// SPDX-License-Identifier: MIT
//
// Flags: -fno-exceptions -fno-asynchronous-unwind-tables -fno-unwind-tables
#include "special/no_exceptions_body.hpp"
#include "special/special.hpp"

void call_without_tables(void (*f)()) { call_guarded(f); }
bool no_tables_lock_is_free() noexcept { return !locked; }
