// SPDX-License-Identifier: MIT
/// \file
/// The library that `record` preloads.
#pragma once

#include <string>

namespace memprof::tools {

inline constexpr char preload_library_name[] = "libmemprof-preload.so";

/// What LD_PRELOAD is set to: our library, before what is preloaded already. It lies in the build's
/// folder above this command's, in a library folder beside it, or is named by MEMPROF_PRELOAD.
///
/// \throws std::runtime_error if it is not there, or has a path that LD_PRELOAD cannot name.
[[nodiscard]] std::string preload_setting();

}  // namespace memprof::tools
