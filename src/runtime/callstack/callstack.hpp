// SPDX-License-Identifier: MIT
/// \file
/// Front header of `callstack`: walking stacks by the unwind tables; taking the stacks of
/// samples and keeping them.
#pragma once

#include "callstack/capture.hpp"           // IWYU pragma: export
#include "callstack/frames_hash.hpp"       // IWYU pragma: export
#include "callstack/left_out.hpp"          // IWYU pragma: export
#include "callstack/procedure.hpp"         // IWYU pragma: export
#include "callstack/processor.hpp"         // IWYU pragma: export
#include "callstack/readable_stack.hpp"    // IWYU pragma: export
#include "callstack/signal_frame.hpp"      // IWYU pragma: export
#include "callstack/stack_table.hpp"       // IWYU pragma: export
#include "callstack/step_rule.hpp"         // IWYU pragma: export
#include "callstack/table_reader.hpp"      // IWYU pragma: export
#include "callstack/thread_lifecycle.hpp"  // IWYU pragma: export
