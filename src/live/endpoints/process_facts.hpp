// SPDX-License-Identifier: MIT
/// \file
/// What this process is called.
#pragma once

#include <cstddef>
#include <string>

namespace memprof::endpoints {

/// The command line, at most so many bytes, with NUL behind each word.
[[nodiscard]] std::string raw_command_line(std::size_t most);
/// Its words with blanks between them, quoted where they have some; at most 4 KiB.
[[nodiscard]] std::string command_as_text();
/// "" where it is not known.
[[nodiscard]] std::string executable_path();
[[nodiscard]] std::string host_name();

}  // namespace memprof::endpoints
