// SPDX-License-Identifier: MIT
// The packets that the file of a trace is made of.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "memprof/tracing.hpp"

#include "support/catch2.hpp"
#include "traced.hpp"

using namespace memprof;
using namespace memprof::test;

TEST_CASE("a trace without events is its trace-info and an empty packet") {
  folder const f;
  start_tracing(f.file("empty.ctf"),
                {.rate = sampling_rate{1e-12}, .context = {}, .callstack_size = {}});
  stop_tracing();
  const traced t = read_trace(f.file("empty.ctf"));
  CHECK(t.error.empty());
  CHECK(t.events == 0);
  CHECK(t.notices.empty());
  // The sizes of its packets, of which a header tells: magic, and the size in bits.
  std::ifstream in(f.file("empty.ctf"), std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(in), {}};
  std::vector<std::size_t> sizes;
  for (std::size_t at = 0; at + 8 <= bytes.size();) {
    std::array<std::uint32_t, 2> header{};
    std::memcpy(header.data(), bytes.data() + at, sizeof header);
    REQUIRE(header[0] == 0xc1fc1fc1);
    REQUIRE(header[1] >= 64);
    sizes.push_back(header[1] / 8);
    at += sizes.back();
  }
  REQUIRE(sizes.size() == 2);
  CHECK(sizes[0] > sizes[1]);
  CHECK((sizes[1] == 66 || sizes[1] == 68));  // a header alone: of version 2, or 3
}
