// SPDX-License-Identifier: MIT
#include "pprof/gzip.hpp"

#include <sstream>
#include <string>

#include "support/catch2.hpp"
#include "support/gunzip.hpp"

using namespace memprof::pprof;
using memprof::test::gunzipped;

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
