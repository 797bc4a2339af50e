// SPDX-License-Identifier: MIT
/// \file
/// Command lines that end with a program's: `memprof record -o a.ctf redis-server --port 7000`.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace memprof::tools {

/// `words`, of which the first names `command`, with "--" before the program that it runs, if it
/// runs one (has a positional PROGRAM) and none is there: the first word that is no option of ours,
/// nor the value of one, begins the program, and the options behind it are the program's.
[[nodiscard]] std::vector<std::string> with_separator(CLI::App const& command,
                                                      std::vector<std::string> words);

}  // namespace memprof::tools
