// SPDX-License-Identifier: MIT
// What the exports are made of. The formats as wholes: tests/tools/convert_test.py, tests/judges.
#include "export/export.hpp"

#include <sstream>
#include <string>
#include <vector>
#include <zlib.h>

#include "export/gzip.hpp"
#include "export/plot_ticks.hpp"
#include "export/protobuf.hpp"
#include "support/catch2.hpp"

using namespace memprof::exports;

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

std::string texts(axis const& a, double low, double high) {
  std::string all;
  for (tick const& t : ticks_of(a, low, high)) all += (all.empty() ? "" : "|") + t.text;
  return all;
}

}  // namespace

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
  CHECK(m.text().empty());
}

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

TEST_CASE("names: no byte of a trace makes invalid UTF-8, JSON or CSV") {
  CHECK(utf8("a\u00e4\u20ac\U0001f600") == "a\u00e4\u20ac\U0001f600");
  CHECK(utf8("\xc3") == "\xef\xbf\xbd");
  CHECK(utf8("\xc0\x80x") == "\xef\xbf\xbd\xef\xbf\xbdx");
  CHECK(utf8("\xed\xa0\x80") == "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
  CHECK(utf8("\xf5\x80\x80\x80").size() == 12);
  CHECK(json_string("a\"\\\n\x01") == "\"a\\\"\\\\\\u000a\\u0001\"");
  CHECK(csv_field("plain") == "plain");
  CHECK(csv_field("a,\"b\"") == "\"a,\"\"b\"\"\"");
}

TEST_CASE("ticks: round in the unit of the axis") {
  CHECK(texts({"", quantity::number}, 0, 10) == "0|2|4|6|8|10");
  CHECK(texts({"", quantity::bytes}, 0, 3.1 * 0x1p20) == "0 MiB|1 MiB|2 MiB|3 MiB");
  CHECK(texts({"", quantity::time}, 0, 9.2e6) == "0 s|2 s|4 s|6 s|8 s");
  CHECK(texts({"", quantity::share}, 0, 1) == "0 %|20 %|40 %|60 %|80 %|100 %");
  CHECK(texts({"", quantity::time, true}, 5, 2e6) ==
        "10 \u00b5s|100 \u00b5s|1 ms|10 ms|100 ms|1 s");
  CHECK(texts({"", quantity::bytes, true}, 8, 1 << 12) ==
        "8 B|16 B|32 B|64 B|128 B|256 B|512 B|1 KiB|2 KiB|4 KiB");
}

TEST_CASE("plots: a document with its texts, without numbers that are none, even of nothing") {
  plot p{"A & B <title>", "from \"x\"", {"time", quantity::time}, {"bytes", quantity::bytes}, {}};
  const auto sound = [](std::string const& svg) {
    CHECK(svg.find("nan") == std::string::npos);
    CHECK(svg.find("inf") == std::string::npos);
    CHECK(svg.ends_with("</svg>\n"));
  };
  sound(svg_of(p));
  CHECK(svg_of(p).find("A &amp; B &lt;title&gt;") != std::string::npos);
  p.curves = {{"lines", curve_kind::line, {{0, 5, 4, 6, 0}, {1e6, 9, 7, 12, 0}}, true},
              {"steps", curve_kind::steps, {{0, 5, 0, 0, 0}, {1e6, 9, 0, 0, 0}}, false},
              {"bars", curve_kind::bars, {{0, 5, 4, 6, 1e5}}, false},
              {"points", curve_kind::points, {{5e5, 3, 0, 0, 0}}, false},
              {"nothing", curve_kind::line, {}, true}};
  const std::string all = svg_of(p);
  sound(all);
  for (char const* part : {"<polygon", "<polyline", "<rect", "<circle", "lines", "steps"}) {
    CHECK(all.find(part) != std::string::npos);
  }
  p.x.logarithmic = p.y.logarithmic = true;
  sound(svg_of(p));
}
