// SPDX-License-Identifier: MIT
#include <chrono>
#include <limits>
#include <stdexcept>
#include <string>

#include "memprof/serve/metrics.hpp"

#include "support/catch2.hpp"

using namespace memprof::serve;

namespace {

using time_point = std::chrono::system_clock::time_point;

constexpr time_point when{std::chrono::microseconds{1'764'088'990'123'999}};

/// The one line of a sample.
std::string line(metrics_format format, std::initializer_list<label> labels, double value = 1) {
  metrics m(format);
  m.counter("hits", "h").sample(3, {{"limit", "time"}}).exemplar(labels, value, when);
  const std::string page = m.finish();
  const std::size_t begin = page.find("\nhits_total") + 1;
  return page.substr(begin, page.find('\n', begin) - begin);
}

std::string shown(std::initializer_list<label> labels, double value = 1) {
  return line(metrics_format::openmetrics, labels, value);
}

constexpr char bare[] = "hits_total{limit=\"time\"} 3";

}  // namespace

TEST_CASE("exemplars: behind the sample, in OpenMetrics alone") {
  CHECK(shown({{"trace_id", "4bf92f35"}}) ==
        std::string(bare) + " # {trace_id=\"4bf92f35\"} 1 1764088990.123");
  CHECK(line(metrics_format::text, {{"trace_id", "4bf92f35"}}) == bare);
  CHECK(shown({{"trace_id", "a"}, {"span_id", "b"}}, 0.5) ==
        std::string(bare) + " # {trace_id=\"a\",span_id=\"b\"} 0.5 1764088990.123");
  CHECK(shown({}, std::numeric_limits<double>::infinity()) ==
        std::string(bare) + " # {} +Inf 1764088990.123");
}

TEST_CASE("exemplars: values are escaped, and made UTF-8") {
  CHECK(shown({{"trace_id", "a\"b\\c\ne\xff"}}) ==
        std::string(bare) + " # {trace_id=\"a\\\"b\\\\c\\ne\xef\xbf\xbd\"} 1 1764088990.123");
}

TEST_CASE("exemplars: 128 characters of names and values, no more") {
  // Escapes do not count, and a character of several bytes counts once.
  const std::string longest = std::string(118, '"') + "\xc3\xa4\xf0\x9f\x98\x80";
  CHECK(shown({{"trace_id", longest}}).size() > 118 * 2);
  CHECK(shown({{"trace_id", longest + "x"}}) == bare);
  CHECK(shown({{"trace_id", std::string(100, 'x')}, {"span_id", std::string(13, 'y')}}) != bare);
  CHECK(shown({{"trace_id", std::string(100, 'x')}, {"span_id", std::string(14, 'y')}}) == bare);
  CHECK(shown({{"trace_id", std::string(120, '\xff')}}) != bare);  // each byte is one then
}

TEST_CASE("exemplars: of counters, one for each sample") {
  for (const metrics_format format : {metrics_format::text, metrics_format::openmetrics}) {
    metrics m(format);
    const auto add = [&] { m.exemplar({{"trace_id", "a"}}, 1, when); };
    CHECK_THROWS_AS(add(), std::invalid_argument);
    m.counter("a", "x");
    CHECK_THROWS_AS(add(), std::invalid_argument);
    m.sample(1);
    CHECK_THROWS_AS(m.exemplar({{"trace id", "a"}}, 1, when), std::invalid_argument);
    add();
    CHECK_THROWS_AS(add(), std::invalid_argument);
    m.gauge("b", "x").sample(1);
    CHECK_THROWS_AS(add(), std::invalid_argument);
    m.info("c", "x").sample(1);
    CHECK_THROWS_AS(add(), std::invalid_argument);
    m.counter("d", "x").sample(1, {{"k", "v"}});
    add();
    const std::string page = m.finish();
    CHECK((page.find("a_total 1 # {trace_id=\"a\"} 1 1764088990.123\n") != std::string::npos) ==
          (format == metrics_format::openmetrics));
    CHECK((page.find("\nb 1\n") != std::string::npos));
  }
}
