// SPDX-License-Identifier: MIT
/// \file
/// What must hold when a thread of a stress program, or all of it, has ended.
#pragma once

namespace stress {

/// At the end of a thread nothing of it is left, and a limit counts as ever.
void check_at_rest();

/// All threads have ended. Sums are exact, and what is freed now is taken off them exactly.
void check_sums();

}  // namespace stress
