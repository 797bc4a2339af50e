// SPDX-License-Identifier: MIT
/// \file
/// Runs a stress program in this process, against the model.
#pragma once

#include "program.hpp"

namespace stress {

/// Ends the process by `fail` if anything is not as the model says. Runs one program in a process.
void interpret(program const& p);

/// For a child: it ends with its parent, and by SIGALRM if it hangs.
void limit_time();

}  // namespace stress
