// SPDX-License-Identifier: MIT
#include "pprof/protobuf.hpp"

#include <cstdint>
#include <vector>

#include "support/catch2.hpp"

using namespace memprof::pprof;

TEST_CASE("protobuf: the bytes of the encoding's documentation") {
  protobuf m;
  m.number(1, 150);
  CHECK(m.text() == "\x08\x96\x01");
  m.clear();
  m.bytes(2, "testing");
  CHECK(m.text() == "\x12\x07testing");
  protobuf inner;
  inner.number(1, 150);
  m.clear();
  m.message(3, inner);
  CHECK(m.text() == "\x1a\x03\x08\x96\x01");
  m.clear();
  const std::vector<std::uint64_t> packed{3, 270, 86942};
  m.packed(6, packed);
  CHECK(m.text() == "\x32\x06\x03\x8e\x02\x9e\xa7\x05");
  m.clear();
  m.number(1, 0);  // the default
  m.fixed64(1, 0);
  CHECK(m.text().empty());
  m.fixed64(1, 0x0102030405060708);
  CHECK(m.text() == "\x09\x08\x07\x06\x05\x04\x03\x02\x01");
}
