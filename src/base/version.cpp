// SPDX-License-Identifier: MIT
#include "memprof/version.hpp"

namespace memprof {

std::string_view linked_version() noexcept { return version; }

}  // namespace memprof
