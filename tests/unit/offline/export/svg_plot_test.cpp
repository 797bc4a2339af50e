// SPDX-License-Identifier: MIT
#include "export/svg_plot.hpp"

#include <string>

#include "support/catch2.hpp"

using namespace memprof::exports;

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
