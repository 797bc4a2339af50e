// SPDX-License-Identifier: MIT
/// \file
/// Thrown by the parts of the reader for invalid bytes. The reader turns it into a
/// `format_error`, or into a notice.
#pragma once

#include <cstddef>
#include <string>

namespace memprof::inline v0::trace {

struct malformed {
  std::string what;
  std::byte const* at;  ///< the byte in question, in the buffer of the `packet_source`
};

}  // namespace memprof::inline v0::trace
