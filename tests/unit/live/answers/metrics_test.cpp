// SPDX-License-Identifier: MIT
#include "memprof/serve/metrics.hpp"

#include <cstdint>
#include <limits>
#include <stdexcept>

#include "support/catch2.hpp"

using namespace memprof::serve;

namespace {

std::string page(metrics_format format) {
  metrics m(format);
  m.counter("requests", "How \"many\"\nlines.").sample(3, {{"path", "a\"b\\c\ne\xff"}});
  m.gauge("without_samples", "Left out.");
  m.gauge("memory_bytes", "Now.").sample(0.5).sample(std::uint64_t{18446744073709551615U});
  m.info("build", "Facts.").sample(1, {{"version", "1"}, {"kind", "x"}});
  m.gauge("far", "f").sample(std::numeric_limits<double>::infinity());
  return m.finish();
}

}  // namespace

TEST_CASE("metrics: text 0.0.4") {
  CHECK(page(metrics_format::text) ==
        "# HELP requests_total How \"many\"\\nlines.\n"
        "# TYPE requests_total counter\n"
        "requests_total{path=\"a\\\"b\\\\c\\ne\xef\xbf\xbd\"} 3\n"
        "# HELP memory_bytes Now.\n"
        "# TYPE memory_bytes gauge\n"
        "memory_bytes 0.5\n"
        "memory_bytes 18446744073709551615\n"
        "# HELP build_info Facts.\n"
        "# TYPE build_info gauge\n"
        "build_info{version=\"1\",kind=\"x\"} 1\n"
        "# HELP far f\n"
        "# TYPE far gauge\n"
        "far +Inf\n");
}

TEST_CASE("metrics: OpenMetrics 1.0") {
  CHECK(page(metrics_format::openmetrics) ==
        "# HELP requests How \\\"many\\\"\\nlines.\n"
        "# TYPE requests counter\n"
        "requests_total{path=\"a\\\"b\\\\c\\ne\xef\xbf\xbd\"} 3\n"
        "# HELP memory_bytes Now.\n"
        "# TYPE memory_bytes gauge\n"
        "# UNIT memory_bytes bytes\n"
        "memory_bytes 0.5\n"
        "memory_bytes 18446744073709551615\n"
        "# HELP build Facts.\n"
        "# TYPE build info\n"
        "build_info{version=\"1\",kind=\"x\"} 1\n"
        "# HELP far f\n"
        "# TYPE far gauge\n"
        "far +Inf\n"
        "# EOF\n");
}

TEST_CASE("metrics: names that no scraper takes") {
  metrics m(metrics_format::text);
  CHECK_THROWS_AS(m.sample(1), std::invalid_argument);
  CHECK_THROWS_AS(m.counter("", "x"), std::invalid_argument);
  CHECK_THROWS_AS(m.counter("1x", "x"), std::invalid_argument);
  CHECK_THROWS_AS(m.gauge("a-b", "x"), std::invalid_argument);
  CHECK_THROWS_AS(m.gauge("a\nb 1", "x"), std::invalid_argument);
  m.gauge("right", "x");
  CHECK_THROWS_AS(m.sample(1, {{"le gal", "x"}}), std::invalid_argument);
  CHECK(m.finish().empty());
}
