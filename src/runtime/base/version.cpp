// SPDX-License-Identifier: MIT
#include "memprof/version.hpp"

namespace memprof::inline v0 {

std::string_view linked_version() noexcept { return version; }

}  // namespace memprof::inline v0
