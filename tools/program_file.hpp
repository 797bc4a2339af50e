// SPDX-License-Identifier: MIT
/// \file
/// Whether a preloaded library will get into a program.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace memprof::tools {

/// The file that execvp would run for `name`; nullopt if there is none.
[[nodiscard]] std::optional<std::filesystem::path> find_program(std::string const& name);

/// Why LD_PRELOAD has no effect in this file, or empty: it is linked statically or to musl, for
/// another processor, or runs with more rights than its user. For a script, checks its interpreter.
/// Empty also if the file cannot be read.
[[nodiscard]] std::string why_not_preloaded(std::filesystem::path const& program);

/// Whether the program itself defines malloc for all of its libraries: the loader prefers it to
/// that of a preloaded library. False for a script, and for one that is linked with memprof.
[[nodiscard]] bool has_own_malloc(std::filesystem::path const& program);

}  // namespace memprof::tools
