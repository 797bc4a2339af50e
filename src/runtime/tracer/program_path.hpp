// SPDX-License-Identifier: MIT
/// \file
/// The file of the program.
#pragma once

#include <string_view>

namespace memprof::tracer {

/// Reads /proc/self/exe, once. Before there are threads.
void find_program_path() noexcept;

/// "program" if it is not known. Valid for ever.
[[nodiscard]] std::string_view program_path() noexcept;

}  // namespace memprof::tracer
