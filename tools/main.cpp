// SPDX-License-Identifier: MIT
/// \file
/// The command `memprof`.
#include "tools/command_line.hpp"

int main(int argc, char** argv) { return memprof::tools::run_command_line(argc, argv); }
