// SPDX-License-Identifier: MIT
/// \file
/// The labels that a block would get here.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "memprof/label.hpp"

namespace memprof::test {

using pairs = std::vector<std::pair<std::string, std::string>>;

inline pairs labels_now() { return labels_of(current_label_set()); }

}  // namespace memprof::test
