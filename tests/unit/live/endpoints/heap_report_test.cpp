// SPDX-License-Identifier: MIT
#include "endpoints/heap_report.hpp"

#include <zlib.h>

#include "answers.hpp"
#include "endpoints/live_profile.hpp"

using namespace memprof::endpoints;
namespace modules = memprof::modules;

namespace {

profile_snapshot snapshot(std::vector<profile_row> rows) {
  return {.per_word = 1e-3, .began = {}, .taken = {}, .rows = std::move(rows)};
}

std::string unpacked(std::string const& gzip) {
  std::string text(1 << 24, '\0');
  z_stream z{};
  z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(gzip.data()));
  z.avail_in = static_cast<uInt>(gzip.size());
  z.next_out = reinterpret_cast<Bytef*>(text.data());
  z.avail_out = static_cast<uInt>(text.size());
  REQUIRE(inflateInit2(&z, 16 + MAX_WBITS) == Z_OK);
  REQUIRE(inflate(&z, Z_FINISH) == Z_STREAM_END);
  text.resize(z.total_out);
  inflateEnd(&z);
  return text;
}

/// As protobuf writes it.
std::string varint(std::uint64_t n) {
  std::string text;
  for (; n >= 0x80; n >>= 7) text += static_cast<char>(n | 0x80);
  return text + static_cast<char>(n);
}

}  // namespace

TEST_CASE("heap report: no profile has the address at which code was loaded") {
  begin_collecting(memprof::sampling_rate{1.0});
  const auto block = memprof::test::named_block(8 * 321);
  const profile_snapshot s = take_snapshot();
  std::vector<std::uintptr_t> calls;
  for (profile_row const& r : s.rows) {
    if (r.words != 322) continue;
    for (const std::uintptr_t frame : frames_of(r)) calls.push_back(frame - 1);
  }
  REQUIRE_FALSE(calls.empty());
  code_names names;
  const std::string profile = unpacked(pprof_of(s, "inuse_space", names));
  const auto places = names.find(calls);
  for (std::size_t i = 0; i < calls.size(); ++i) {
    modules::code_segment const& m = places.segments.at(places.places[i].segment);
    INFO(m.path << " at " << m.bias << ": " << calls[i]);
    CHECK(profile.find(varint(calls[i] - m.bias)) != std::string::npos);
    if (m.bias == 0) continue;  // not loaded anywhere else
    CHECK(profile.find(varint(calls[i])) == std::string::npos);
    CHECK(profile.find(varint(m.begin)) == std::string::npos);
  }
}

TEST_CASE("heap report: differences are never negative") {
  const profile_snapshot before = snapshot({{1, 0, 0, 2, 10, 8}, {5, 0, 0, 4, 5, 5}});
  const profile_snapshot now =
      snapshot({{1, 0, 0, 2, 30, 3}, {3, 0, 0, 9, 1, 1}, {5, 0, 0, 4, 7, 6}});
  const profile_snapshot d = difference(before, now);
  CHECK(d.rows[0].allocated == 20);
  CHECK(d.rows[0].in_use == 0);
  CHECK(d.rows[1].allocated == 1);  // a new row
  CHECK(d.rows[2].allocated == 2);
  CHECK(d.rows[2].in_use == 1);
  const profile_snapshot a = allocated_since(before, now);
  CHECK(a.rows[0].allocated == 20);
  CHECK(a.rows[0].in_use == 3);
}

TEST_CASE("heap report: text has the largest rows and says what is left out") {
  code_names names;
  const profile_snapshot s = snapshot(
      {{0, 0, 0, 2, 10, 8}, {1, 0, 0, 4, 500, 400}, {2, 0, 0, 8, 0, 0}, {3, 0, 0, 16, 7, 6}});
  const std::string text = text_of(s, names, 1);
  // 414 samples of 1000 words.
  CHECK(text.find("in use      3.159 MiB (") != std::string::npos);
  CHECK(text.find("in blocks of 24 bytes") != std::string::npos);
  CHECK(text.find("in blocks of 8 bytes") == std::string::npos);
  CHECK(text.find("2 rows more") != std::string::npos);
}
