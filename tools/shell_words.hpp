// SPDX-License-Identifier: MIT
/// \file
/// Command lines as text.
#pragma once

#include <string>
#include <vector>

namespace memprof::tools {

/// The arguments as a shell would take them: "memprof top 'a trace.ctf'".
[[nodiscard]] std::string quoted(std::vector<std::string> const& arguments);

}  // namespace memprof::tools
