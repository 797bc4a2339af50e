// SPDX-License-Identifier: MIT
#include "trace/byte_reader.hpp"

#include <array>
#include <cstddef>

#include "encoding/byte_writer.hpp"
#include "support/catch2.hpp"

using namespace memprof::trace;

TEST_CASE("trace byte_reader: what byte_writer put, to the last byte and no further") {
  std::array<std::byte, 64> buffer{};
  memprof::encoding::byte_writer out(buffer.data());
  out.u8(1);
  out.u16(0x1234);
  out.u32(0xfedcba98);
  out.u64(0x0123456789abcdef);
  out.f64(-0.5);
  out.text("name");
  byte_reader in(buffer.data(), out.position());
  CHECK(in.u8() == 1);
  CHECK(in.u16() == 0x1234);
  CHECK(in.u32() == 0xfedcba98);
  CHECK(in.u64() == 0x0123456789abcdef);
  CHECK(in.f64() == -0.5);
  CHECK(in.text() == "name");
  CHECK(in.left() == 0);
  CHECK_THROWS_AS(in.u8(), malformed);
  CHECK_THROWS_AS(in.text(), malformed);
}

TEST_CASE("trace byte_reader: an error names the byte, and takes nothing") {
  std::array<std::byte, 4> buffer{std::byte{'a'}, std::byte{'b'}, std::byte{'c'}, std::byte{'d'}};
  byte_reader in(buffer.data(), buffer.data() + 3);
  in.u8();
  for (int i = 0; i < 2; ++i) {
    try {
      in.u32();
      FAIL("no error");
    } catch (malformed const& m) {
      CHECK(m.at == buffer.data() + 1);
    }
  }
  CHECK_THROWS_AS(in.text(), malformed);  // no zero byte before the end
  CHECK(in.u16() == ('b' | 'c' << 8));
}
