// SPDX-License-Identifier: MIT
#include "encoding/byte_writer.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "support/catch2.hpp"

using memprof::encoding::byte_writer;
using bytes = std::vector<unsigned>;

namespace {

template <class Put>
bytes written(Put&& put) {
  std::array<std::byte, 64> buffer{};
  byte_writer out(buffer.data());
  put(out);
  bytes all;
  for (std::byte const* b = buffer.data(); b != out.position(); ++b) {
    all.push_back(std::to_integer<unsigned>(*b));
  }
  return all;
}
bytes vint(std::int64_t value) {
  return written([&](byte_writer& out) { out.vint(value); });
}

}  // namespace

TEST_CASE("byte_writer: numbers are little endian, a text ends in a zero byte") {
  CHECK(written([](byte_writer& o) { o.u16(0x1234); }) == bytes{0x34, 0x12});
  CHECK(written([](byte_writer& o) { o.u32(0x12345678); }) == bytes{0x78, 0x56, 0x34, 0x12});
  CHECK(written([](byte_writer& o) { o.f64(1.0); }) == bytes{0, 0, 0, 0, 0, 0, 0xf0, 0x3f});
  CHECK(written([](byte_writer& o) { o.text("ab"); }) == bytes{'a', 'b', 0});
  CHECK(written([](byte_writer& o) { o.text({}); }) == bytes{0});
}

TEST_CASE("byte_writer: a vint takes the first of its sizes that holds the value") {
  CHECK(vint(0) == bytes{0});
  CHECK(vint(252) == bytes{252});
  CHECK(vint(253) == bytes{253, 253, 0});
  CHECK(vint(65535) == bytes{253, 0xff, 0xff});
  CHECK(vint(65536) == bytes{254, 0, 0, 1, 0});
  CHECK(vint(-1) == bytes{254, 0xff, 0xff, 0xff, 0xff});
  CHECK(vint(std::numeric_limits<std::int32_t>::max()) == bytes{254, 0xff, 0xff, 0xff, 0x7f});
  CHECK(vint(std::int64_t{1} << 31) == bytes{255, 0, 0, 0, 0x80, 0, 0, 0, 0});
  CHECK(vint(std::numeric_limits<std::int64_t>::min()) == bytes{255, 0, 0, 0, 0, 0, 0, 0, 0x80});
}

TEST_CASE("byte_writer: a text is written up to its first zero byte") {
  using memprof::encoding::text_before_zero;
  CHECK(text_before_zero(std::string_view("ab\0c", 4)) == "ab");
  CHECK(text_before_zero("abc") == "abc");
  CHECK(text_before_zero("").empty());
}
