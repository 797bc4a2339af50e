// SPDX-License-Identifier: MIT
// What docs/logging.md shows for OpenTelemetry and for services that collect errors.
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "memprof/memprof.hpp"

#include "support/catch2.hpp"

using namespace memprof::literals;

namespace {

// [span_event]
/// An event of the span that is current: opentelemetry::trace::Span, or what has its AddEvent.
template <class Span>
void add_hit(Span& span, memprof::interrupted const& error) {
  std::string const message = error.message();
  span.AddEvent("memprof.limit_hit", {{"memprof.limit", to_string(error.kind()).data()},
                                      {"memprof.limit_bytes", error.limit().count()},
                                      {"memprof.measured_bytes", error.measured().count()},
                                      {"memprof.deferrals", error.deferrals()},
                                      {"exception.message", message.c_str()}});
}
// [/span_event]

// [error_report]
/// What a service that collects errors wants: a kind, a text, calls from the outermost on.
struct error_report {
  std::string type, message;
  std::vector<std::string> frames;
};

/// send        for Sentry's SDK: fills in a sentry_value_t, and calls sentry_capture_event.
template <class Send>
void report_hit(memprof::interrupted const& error, Send&& send) {
  error_report report{.type = "memprof." + std::string(to_string(error.kind())),
                      .message = error.message(),
                      .frames = {}};
  if (auto const stacks = error.live_stacks(); !stacks.empty()) {  // limits::explain asks for them
    for (void* frame : stacks.front().callstack) {
      report.frames.insert(report.frames.begin(), memprof::describe(frame));
    }
  }
  std::forward<Send>(send)(report);
}
// [/error_report]

/// The part of opentelemetry::trace::Span that is used, as its headers declare it: Debian does not
/// have the library.
struct recorded_span {
  using value = std::variant<bool, std::int32_t, std::int64_t, std::uint32_t, double, char const*,
                             std::string_view, std::uint64_t>;
  void AddEvent(std::string_view name,
                std::initializer_list<std::pair<std::string_view, value>> attributes) {
    events.emplace_back(name);
    for (auto const& [key, v] : attributes) {
      keys.emplace_back(key);
      if (auto const* number = std::get_if<std::int64_t>(&v)) numbers.push_back(*number);
      if (auto const* text = std::get_if<char const*>(&v)) texts.emplace_back(*text);
    }
  }
  std::vector<std::string> events, keys, texts;
  std::vector<std::int64_t> numbers;
};

[[gnu::noinline]] std::vector<std::string> load_of_span_test() {
  std::vector<std::string> all;
  for (;;) all.emplace_back(10'000, 'x');
}

memprof::interrupted hit() {
  const memprof::limits l{.allocations = 8_MiB, .count = memprof::counting::exact, .explain = 3};
  auto r = memprof::run_limited(l, [] { return load_of_span_test().size(); });
  REQUIRE_FALSE(r);
  return r.error();
}

}  // namespace

TEST_CASE("logging: a hit is an event of a span") {
  recorded_span span;
  add_hit(span, hit());
  CHECK(span.events == std::vector<std::string>{"memprof.limit_hit"});
  CHECK(span.keys.size() == 5);
  REQUIRE(span.numbers.size() == 2);
  CHECK(span.numbers[0] == 8 << 20);
  CHECK(span.numbers[1] >= 8 << 20);
  REQUIRE(span.texts.size() == 2);
  CHECK(span.texts[0] == "allocations");
  CHECK(span.texts[1].find("allocations limit of 8 MiB reached") == 0);
}

TEST_CASE("logging: a report has the calls by which the task held most") {
  // Some 100 samples in 8 MiB at the default rate: none at all less often than 1e-40.
  error_report sent;
  report_hit(hit(), [&](error_report const& r) { sent = r; });
  CHECK(sent.type == "memprof.allocations");
  CHECK(sent.message.find("allocations limit of 8 MiB reached") == 0);
  REQUIRE(sent.frames.size() > 2);
  bool has = false;
  for (std::string const& frame : sent.frames) has |= frame.find("load_of_span_test") != frame.npos;
  CHECK(has);
}
