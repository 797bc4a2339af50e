// SPDX-License-Identifier: MIT
/// \file
/// In place of a reader, on a processor whose code is not read: no landing pad is understood. (No
/// frame is walked there either, see callstack/processor.hpp.)
#pragma once

#include "delivery/reader/pad_outcomes.hpp"
#include "modules/modules.hpp"

namespace memprof::delivery {

using modules::module_code;

class pad_reader {
 public:
  void reset() noexcept {}
  void read(module_code const& /*module*/, landing const& /*entry*/, thrown /*type*/,
            pad_outcomes& ends, arrivals& /*next*/) noexcept {
    ends.unclear = true;
  }
};

}  // namespace memprof::delivery
