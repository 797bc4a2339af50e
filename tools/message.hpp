// SPDX-License-Identifier: MIT
/// \file
/// What a command says besides its result, and results that no trace is in. With output_file they
/// are all that writes to a terminal, and nothing gets there unescaped (text/printable.hpp;
/// tests/lint/terminal.py looks for other ways).
#pragma once

#include <string_view>

namespace memprof::tools {

/// "memprof: TEXT", one line on standard error, whatever names are in it. Nothing happens if it
/// cannot be written.
void message(std::string_view text);

/// Lines on standard error as they are: a report at once, the help after wrong usage.
void say_lines(std::string_view lines);

/// Lines on standard output.
void print_lines(std::string_view lines);

}  // namespace memprof::tools
