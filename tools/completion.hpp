// SPDX-License-Identifier: MIT
/// \file
/// Completion of memprof's command lines: commands, options, and the values that an option has a
/// list of. What has none is completed as a file name; after `--`, as another command line.
#pragma once

#include <span>
#include <string>

#include "tools/command_text.hpp"

namespace memprof::tools {

[[nodiscard]] std::string bash_completion(std::span<command_text const> all);
[[nodiscard]] std::string zsh_completion(std::span<command_text const> all);
[[nodiscard]] std::string fish_completion(std::span<command_text const> all);

}  // namespace memprof::tools
