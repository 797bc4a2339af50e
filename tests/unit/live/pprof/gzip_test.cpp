// SPDX-License-Identifier: MIT
#include "pprof/gzip.hpp"

#include <sstream>
#include <string>
#include <zlib.h>

#include "support/catch2.hpp"

using namespace memprof::pprof;

namespace {

std::string gunzipped(std::string const& data) {
  z_stream z{};
  REQUIRE(inflateInit2(&z, MAX_WBITS + 16) == Z_OK);
  std::string in = data, out(4 << 20, '\0');
  z.next_in = reinterpret_cast<Bytef*>(in.data());
  z.avail_in = static_cast<uInt>(in.size());
  z.next_out = reinterpret_cast<Bytef*>(out.data());
  z.avail_out = static_cast<uInt>(out.size());
  CHECK(inflate(&z, Z_FINISH) == Z_STREAM_END);
  out.resize(z.total_out);
  inflateEnd(&z);
  return out;
}

}  // namespace

TEST_CASE("gzip: what goes in comes out, whatever the pieces") {
  std::string all;
  std::ostringstream out;
  gzip_writer zip(out);
  unsigned state = 1;
  for (int i = 0; i < 300; ++i) {
    std::string piece;
    for (int k = 0; k < i * 20; ++k) piece += static_cast<char>((state = state * 69069 + 1) >> 28);
    zip.write(piece);
    all += piece;
  }
  zip.finish();
  CHECK(out.str().size() < all.size());
  CHECK(gunzipped(out.str()) == all);
}
