// SPDX-License-Identifier: MIT
/// \file
/// Names for the addresses of a report, as far as the symbols of the loaded files go.
#pragma once

#include <cstddef>
#include <vector>

#include "memprof/interrupt_report.hpp"

namespace memprof::inline v0::testing {

/// The function that a return address leads back into; "(the scenario)" for our templates around
/// the scenario. Reads the file that the code came from.
stack_frame name_of(void const* return_address);

/// A stack, innermost first; without operator new at its beginning; our own frames at its end
/// are one, "(the scenario)".
std::vector<stack_frame> names_of(void* const* stack, std::size_t depth);

}  // namespace memprof::inline v0::testing
