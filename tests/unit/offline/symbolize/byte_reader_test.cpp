// SPDX-License-Identifier: MIT
#include "symbolize/byte_reader.hpp"

#include <cstdint>
#include <limits>
#include <vector>

#include "support/catch2.hpp"

using memprof::symbolize::byte_reader;
using bytes = std::vector<std::uint8_t>;

TEST_CASE("byte_reader: numbers of every size, little endian") {
  bytes const data{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18};
  byte_reader r{data};
  CHECK(r.u8() == 1);
  CHECK(r.u16() == 0x0302);
  CHECK(r.u24() == 0x060504);
  CHECK(r.u32() == 0x0a090807);
  CHECK(r.u64() == 0x1211100f0e0d0c0b);
  CHECK(r.left() == 0);
  CHECK(r.good());
  byte_reader sized{data};
  CHECK(sized.sized(2) == 0x0201);
  CHECK(sized.sized(3) == 0);
  CHECK_FALSE(sized.good());
}

TEST_CASE("byte_reader: LEB128, and numbers that are longer than 64 bits") {
  bytes const data{0xe5, 0x8e, 0x26, 0x7f, 0x80, 0x7f, 0xff, 0xff, 0xff,
                   0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f};
  byte_reader r{data};
  CHECK(r.uleb() == 624485);
  CHECK(r.sleb() == -1);
  CHECK(r.sleb() == -128);
  CHECK(r.uleb() == std::numeric_limits<std::uint64_t>::max());  // its upper bits are lost
  CHECK(r.good());
  CHECK(r.left() == 0);
}

TEST_CASE("byte_reader: past the end there are zeros, and it is bad for good") {
  bytes const data{'a', 'b', 0, 'c', 0x80};
  byte_reader r{data};
  CHECK(r.text() == "ab");
  CHECK(r.position() == 3);
  CHECK(r.text().empty());  // "c" has no end
  CHECK_FALSE(r.good());
  CHECK(r.u8() == 0);
  CHECK(r.uleb() == 0);
  CHECK_FALSE(byte_reader{data, 6}.good());
  CHECK(byte_reader{data, 5}.good());
  byte_reader cut{data, 4};
  CHECK(cut.uleb() == 0);  // goes on behind the end
  CHECK_FALSE(cut.good());
  byte_reader ended{data};
  ended.end_at(2);
  CHECK(ended.left() == 2);
  CHECK(ended.u32() == 0);
  CHECK_FALSE(ended.good());
  byte_reader skipped{data};
  skipped.skip(~std::uint64_t{0});
  CHECK_FALSE(skipped.good());
}
