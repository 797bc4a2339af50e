// SPDX-License-Identifier: MIT
/// \file
/// Names for the addresses of a report, from the symbols of the loaded files.
#pragma once

#include <cstddef>
#include <vector>

#include "memprof/interrupt_report.hpp"

namespace memprof::inline v0::testing {

/// The function that contains a return address; "(the scenario)" for memprof's templates around
/// the scenario. Reads the file that the code came from.
stack_frame name_of(void const* return_address);

/// A stack, innermost first, without operator new at its beginning; memprof's frames at its end
/// are one, "(the scenario)".
std::vector<stack_frame> names_of(void* const* stack, std::size_t depth);

}  // namespace memprof::inline v0::testing
