// SPDX-License-Identifier: MIT
#include "tools/message.hpp"

#include <iostream>

namespace memprof::tools {

// Allocates nothing: memory may be what ran out. (And fmt::print would throw if stderr is closed.)
void message(std::string_view text) { std::cerr << "memprof: " << text << '\n'; }

}  // namespace memprof::tools
