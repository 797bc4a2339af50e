// SPDX-License-Identifier: MIT
/// \file
/// Files that are written at once.
#pragma once

#include <filesystem>
#include <string_view>
#include <sys/types.h>

namespace memprof::tools {

/// Whoever sees the file finds all of it. What has the name is replaced, a symbolic link too.
///
/// \param mode but for the bits of the umask.
/// \throws std::system_error if it cannot be written.
void write_whole_file(std::filesystem::path const& file, std::string_view text, mode_t mode = 0600);

}  // namespace memprof::tools
