// SPDX-License-Identifier: MIT
/// \file
/// What a gzip file holds, by zlib.
#pragma once

#include <cstddef>
#include <string>
#include <zlib.h>

#include "support/catch2.hpp"

namespace memprof::test {

/// Checks that `data` is one whole file; of more than `most` bytes it is none.
inline std::string gunzipped(std::string const& data, std::size_t most = std::size_t{8} << 20) {
  z_stream z{};
  REQUIRE(inflateInit2(&z, MAX_WBITS + 16) == Z_OK);
  std::string in = data, out(most, '\0');
  z.next_in = reinterpret_cast<Bytef*>(in.data());
  z.avail_in = static_cast<uInt>(in.size());
  z.next_out = reinterpret_cast<Bytef*>(out.data());
  z.avail_out = static_cast<uInt>(out.size());
  CHECK(inflate(&z, Z_FINISH) == Z_STREAM_END);
  out.resize(z.total_out);
  inflateEnd(&z);
  return out;
}

}  // namespace memprof::test
