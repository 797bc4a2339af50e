// SPDX-License-Identifier: MIT
/// \file
/// Front header of the room `callstack`: walking stacks by the unwind tables.
#pragma once

#include "callstack/procedure.hpp"  // IWYU pragma: export
