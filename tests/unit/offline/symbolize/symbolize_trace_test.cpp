// SPDX-License-Identifier: MIT
#include "symbolize/symbolize_trace.hpp"

#include <map>
#include <system_error>

#include "memprof/trace/reader.hpp"
#include "memprof/trace/writer.hpp"

#include "modules.hpp"

using namespace memprof;
using memprof::test::folder;
namespace fs = std::filesystem;

namespace {

struct copied_event {
  trace::event event;
  std::vector<trace::location_code> backtrace;
};

struct copied_interrupt {
  trace::interrupt what;
  std::vector<std::string> names;
};

/// All that a trace says, its locations by code.
struct contents {
  trace::info info;
  std::vector<copied_event> events;
  std::map<trace::location_code, std::vector<std::string>> names;
  std::vector<copied_interrupt> interrupts;
};

contents read(fs::path const& file) {
  trace::reader r{file};
  contents c{r.info(), {}, {}, {}};
  for (trace::event e; r.next(e);) {
    c.events.push_back({e, {e.backtrace.begin(), e.backtrace.end()}});
    for (trace::location_code code : e.backtrace) {
      auto& names = c.names[code];
      names.clear();
      for (trace::location const& l : r.locations(code)) names.emplace_back(l.defname);
    }
  }
  for (trace::interrupt const& i : r.interrupts()) {
    auto& one = c.interrupts.emplace_back(copied_interrupt{i, {}});
    for (trace::location const& l : i.stack) one.names.emplace_back(l.defname);
  }
  return c;
}

void check_same_events(contents const& a, contents const& b) {
  CHECK(a.info.version == b.info.version);
  CHECK(a.info.start_time == b.info.start_time);
  CHECK(a.info.context == b.info.context);
  REQUIRE(a.events.size() == b.events.size());
  for (std::size_t i = 0; i < a.events.size(); ++i) {
    trace::event const& x = a.events[i].event;
    trace::event const& y = b.events[i].event;
    CHECK(x.kind == y.kind);
    CHECK(x.object == y.object);
    CHECK(x.time == y.time);
    CHECK(x.length == y.length);
    CHECK(x.n_samples == y.n_samples);
    CHECK(x.domain == y.domain);
    CHECK(a.events[i].backtrace == b.events[i].backtrace);
  }
  REQUIRE(a.interrupts.size() == b.interrupts.size());
  for (std::size_t i = 0; i < a.interrupts.size(); ++i) {
    trace::interrupt const& x = a.interrupts[i].what;
    trace::interrupt const& y = b.interrupts[i].what;
    CHECK(x.time == y.time);
    CHECK(x.kind == y.kind);
    CHECK(x.allowed == y.allowed);
    CHECK(x.measured == y.measured);
    CHECK(x.deferrals == y.deferrals);
    CHECK(x.thread == y.thread);
  }
}

}  // namespace

TEST_CASE("a trace gets its symbols") {
  const int version = GENERATE(2, 3);
  folder dir;
  const fs::path module = test::sample(dir / "sample.so");
  const std::string id = test::build_id(module);
  std::map<trace::location_code, test::raw_name> raws;
  trace::location_code code = 0x7f0000000000;
  for (std::uint64_t a : test::some_addresses(module, 200)) {
    raws.emplace(code += 8, test::raw(module, a, id));
  }
  raws.emplace(1, test::raw_name{"list.ml", "Stdlib__list.map"});
  raws.emplace(2, test::raw(dir / "gone.so", 16, id));
  trace::location l;
  const fs::path in = dir / "in.ctf";
  {
    trace::info info;
    info.version = version;
    info.sample_rate = 1e-3;
    info.executable_name = "sample";
    info.context = "test";
    trace::writer w{in, info, [&](trace::location_code c) {
                      l = raws.at(c).location();
                      return std::span<trace::location const>{&l, 1};
                    }};
    std::int64_t us = 0;
    for (auto const& [c, name] : raws) {
      const trace::location_code stack[] = {1, 2, c};
      const auto object =
          w.allocation(std::chrono::microseconds{++us}, trace::heap::minor, 3, 1, stack);
      if (us % 3 == 0) w.promotion(std::chrono::microseconds{++us}, object);
      if (us % 2 == 0) w.collection(std::chrono::microseconds{++us}, object);
    }
    const trace::location stack[] = {raws.at(1).location(), raws.rbegin()->second.location()};
    w.put(trace::interrupt{.time = std::chrono::microseconds{us},
                           .kind = limit_kind::memory,
                           .allowed = 1000,
                           .measured = 1024,
                           .deferrals = 2,
                           .thread = 77,
                           .stack = stack});
    w.close();
  }
  const fs::path out = dir / "out.ctf";
  const auto result = symbolize::symbolize_trace(in, out);
  CHECK(result.codes == raws.size());
  CHECK(result.resolved > 180);
  REQUIRE(result.notices.size() == 1);
  CHECK(result.notices[0].find("gone.so") != std::string::npos);
  const contents before = read(in);
  const contents after = read(out);
  check_same_events(before, after);
  std::size_t named = 0;
  for (auto const& [c, names] : after.names) {
    if (c == 1 || c == 2) {
      CHECK(names == before.names.at(c));
    } else {
      named += names != before.names.at(c) ? 1 : 0;
    }
  }
  CHECK(named == result.resolved);
  REQUIRE(after.interrupts.size() == 1);
  CHECK(after.interrupts[0].names.front() == "Stdlib__list.map");
  auto const& innermost = after.names.at(raws.rbegin()->first);
  CHECK(std::vector(after.interrupts[0].names.begin() + 1, after.interrupts[0].names.end()) ==
        innermost);
  // In place, and once more: nothing is left to resolve.
  fs::permissions(out, fs::perms{0640});
  CHECK(symbolize::symbolize_trace(out, out).resolved == 0);
  check_same_events(before, read(out));
  CHECK(fs::status(out).permissions() == fs::perms{0640});
  CHECK(read(out).names == after.names);
  CHECK(read(out).interrupts.front().names == after.interrupts.front().names);
}

TEST_CASE("a trace that cannot be read leaves nothing behind") {
  folder dir;
  { std::ofstream{dir / "in.ctf"} << "no trace"; }
  CHECK_THROWS_AS(symbolize::symbolize_trace(dir / "in.ctf", dir / "out.ctf"), trace::format_error);
  CHECK_THROWS_AS(symbolize::symbolize_trace(dir / "none.ctf", dir / "out.ctf"), std::system_error);
  CHECK(std::distance(fs::directory_iterator{dir / ""}, {}) == 1);
}
