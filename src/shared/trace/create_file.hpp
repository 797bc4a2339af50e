// SPDX-License-Identifier: MIT
/// \file
/// How the tools make files: another user who may write in the folder, such as the one whose
/// program is recorded, cannot make them write anywhere else (`tests/lint/forbidden.py`).
#pragma once

#include <filesystem>

#include "memprof/detail/export.hpp"

namespace memprof::inline v0::trace {

/// A new file for its owner alone, open for writing. A regular file of this user that has the name
/// loses it.
///
/// \throws std::system_error: EEXIST if anything else has the name, a symbolic link too.
[[nodiscard]] MEMPROF_INTERNAL_API int create_file(std::filesystem::path const& file);

/// The pipe or device that has this name, through links too, open for writing.
///
/// \throws std::system_error: EEXIST if it is a regular file by now.
[[nodiscard]] MEMPROF_INTERNAL_API int open_pipe_or_device(std::filesystem::path const& file);

/// Whether it is a pipe or device, through links too.
[[nodiscard]] bool is_pipe_or_device(std::filesystem::path const& file) noexcept;

/// The name that the user gave, or what it leads to: a link is followed if it belongs to this user
/// or to root.
///
/// \throws std::system_error: ELOOP if it is another user's, ENOENT if it leads nowhere.
[[nodiscard]] MEMPROF_INTERNAL_API std::filesystem::path without_link(
    std::filesystem::path const& file);

}  // namespace memprof::inline v0::trace
