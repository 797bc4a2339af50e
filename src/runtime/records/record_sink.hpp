// SPDX-License-Identifier: MIT
/// \file
/// Where the records of one process go: into its trace, or into a table of what is live.
#pragma once

#include <cstdint>

#include "relay/relay.hpp"

namespace memprof::records {

/// Tags of blocks are below, in any process; larger ones are not of our making.
inline constexpr std::uint32_t most_tags = std::uint32_t{1} << 24;

/// Trusts no record: the memory that they come from may be another program's.
///
/// \note Threads: one at a time.
class record_sink {
 public:
  virtual void take(relay::popped_record const& r) noexcept = 0;

 protected:
  ~record_sink() = default;
};

}  // namespace memprof::records
