// SPDX-License-Identifier: MIT
/// \file
/// The page, which is a file: it is installed as share/memprof/viewer.html.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace memprof::endpoints {

/// See serve::set_page_file.
void choose_page_file(std::string path);

/// Where the page may be, in the order in which it is looked for: the file that was chosen, or
/// $MEMPROF_PAGE; if neither is set, share/memprof/viewer.html in the folder above that of
/// the program or library that this is in, or two above, or where it was to be installed.
[[nodiscard]] std::vector<std::string> page_file_places();

/// The first of them that is a regular file of at most 16 MiB.
[[nodiscard]] std::optional<std::string> read_page_file(std::vector<std::string> const& places);

}  // namespace memprof::endpoints
