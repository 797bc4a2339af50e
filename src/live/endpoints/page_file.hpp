// SPDX-License-Identifier: MIT
/// \file
/// The page, which is a file: it is installed as share/memprof/viewer.html.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace memprof::endpoints {

/// See serve::set_page_file.
void choose_page_file(std::string path);

/// Where the page may be, in the order in which it is looked for: the file that was chosen, or
/// $MEMPROF_PAGE; if neither is set, share/memprof/viewer.html where the program or library that
/// this is in is installed, and where memprof was to be installed.
[[nodiscard]] std::vector<std::string> page_file_places();

/// Below which a program or library is installed: the folder with its bin, sbin, lib or lib64.
/// Empty if it lies elsewhere: anybody may have written what lies beside it, in /tmp.
[[nodiscard]] std::filesystem::path prefix_of(std::filesystem::path const& file);

/// The first of them that is a regular file of at most 16 MiB.
[[nodiscard]] std::optional<std::string> read_page_file(std::vector<std::string> const& places);

}  // namespace memprof::endpoints
