// SPDX-License-Identifier: MIT
// What the index answers from memory, against what the trace itself answers when it is read.
#include "analysis/trace_index.hpp"

#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <string>
#include <vector>

#include "analysis/index_usage.hpp"
#include "analysis/selection_text.hpp"
#include "analysis/trace_source.hpp"
#include "support/catch2.hpp"
#include "support/trace_facts.hpp"

using namespace memprof::analysis;

namespace {

std::shared_ptr<trace_index const> index_of(std::filesystem::path const& file) {
  trace_source source(file.string(), false);
  return std::make_shared<trace_index const>(source, nullptr);
}

/// A filter as the JSON files describe it: parts with ", " between them.
std::vector<named_text> texts_of(std::string const& description) {
  struct rule {
    char const* pattern;
    std::vector<named_text> (*make)(std::smatch const&);
  };
  using m = std::smatch const&;
  using texts = std::vector<named_text>;
  static const std::vector<rule> rules{
      {"live at peak",
       [](m) {
         return texts{{"live-at-peak", "1"}};
       }},
      {"live at end of trace.*",
       [](m) {
         return texts{{"live-at-end", "1"}};
       }},
      {"live at (\\d+) us",
       [](m x) {
         return texts{{"live-at", x.str(1) + "us"}};
       }},
      {"allocated between (\\d+) and (\\d+) us",
       [](m x) {
         return texts{{"allocated-after", x.str(1) + "us"}, {"allocated-before", x.str(2) + "us"}};
       }},
      {"allocated at or after (\\d+) us",
       [](m x) {
         return texts{{"allocated-after", x.str(1) + "us"}};
       }},
      {"lifetime at least (\\d+) us",
       [](m x) {
         return texts{{"lifetime-min", x.str(1) + "us"}};
       }},
      {"lifetime at most (\\d+) us",
       [](m x) {
         return texts{{"lifetime-max", x.str(1) + "us"}};
       }},
      {"size at least (\\d+) bytes",
       [](m x) {
         return texts{{"size-min", x.str(1) + "B"}};
       }},
      {"on the (\\w+) heap",
       [](m x) {
         return texts{{"heap", x.str(1)}};
       }},
      {"not on the (\\w+) heap",
       [](m x) {
         return texts{{"not-heap", x.str(1)}};
       }},
      {"inside a call to a function whose name equals ([^]*)",
       [](m x) {
         return texts{{"function", "=" + x.str(1)}};
       }},
      {"not inside a call to a function whose name contains ([^]*)",
       [](m x) {
         return texts{{"not-function", "contains:" + x.str(1)}};
       }},
  };
  std::vector<named_text> result;
  std::string rest = description;
  while (!rest.empty()) {
    std::size_t end = rest.size();
    for (char const* next : {", live", ", lifetime", ", allocated"}) {
      end = std::min(end, rest.find(next));
    }
    const std::string part = rest.substr(0, end);
    rest = end < rest.size() ? rest.substr(end + 2) : "";
    bool known = false;
    for (rule const& r : rules) {
      std::smatch found;
      if (known || !std::regex_match(part, found, std::regex(r.pattern))) continue;
      known = true;
      for (named_text& t : r.make(found)) result.push_back(std::move(t));
    }
    INFO(part);
    REQUIRE(known);
  }
  return result;
}

/// All selections that are tried on each trace.
std::vector<std::vector<named_text>> selections(std::filesystem::path const& file) {
  std::vector<std::vector<named_text>> all{
      {},
      {{"live-after", "10ms"}, {"live-before", "20ms"}},
      {{"collected-after", "1ms"}, {"heap", "minor"}},
      {{"collected-before", "5s"}, {"not-heap", "minor"}},
      {{"heap", "major,external"}, {"live-at-peak", "1"}},
      {{"heap", "minor,external"}, {"lifetime-max", "1s"}},
      {{"heap", "external"}},
      {{"never-collected", "1"}, {"heap", "major"}},
      {{"domain", "0"}, {"size-max", "64B"}},
      {{"domain", "1,2"}},
      {{"function", "a"}, {"not-function", "/b.*c/"}, {"file", "."}, {"not-file", "set"}},
      {{"function", "List"}, {"hide", "List"}},
  };
  if (std::filesystem::exists(std::filesystem::path(file).replace_extension(".json"))) {
    const auto facts = memprof_test::facts_of(file);
    const auto filters = facts.value("viewer_filters", nlohmann::json::object());
    for (auto const& [name, counts] : filters.items()) {
      all.push_back(texts_of(name));
    }
  }
  return all;
}

/// whole       of all that was added and subtracted on the way.
void check_equal(amount const& a, amount const& b, amount const& whole) {
  CHECK(a == b);
  CHECK(a.objects == Approx(b.objects).epsilon(1e-9).margin(1e-9 * whole.objects));
  CHECK(a.spread == Approx(b.spread).epsilon(1e-9).margin(1e-9 * whole.spread));
}
void check_equal(amounts const& a, amounts const& b) {
  check_equal(a.allocated, b.allocated, b.allocated);
  check_equal(a.in_use, b.in_use, b.allocated);
  check_equal(a.at_peak, b.at_peak, b.allocated);
}

}  // namespace

TEST_CASE("the index chooses as the reading does") {
  std::size_t compared = 0;
  for (auto const& file : memprof_test::traces_in(memprof_test::traces_directory())) {
    const auto index = index_of(file);
    for (auto const& texts : selections(file)) {
      std::string what = file.filename().string();
      for (named_text const& t : texts) what += " " + t.name + "=" + t.value;
      INFO(what);
      const selection s = selection_of(texts);
      trace_source source(file.string(), false);
      const usage read = read_usage(source, {.chosen = s, .names = nullptr});
      const index_usage kept = usage_of(index, s);
      REQUIRE(read.stacks.size() == kept.view().stacks.size());
      CHECK(index->facts().events == read.events);
      CHECK(index->facts().duration == read.duration);
      check_equal(kept.total, read.total);
      if (read.total.at_peak.samples > 0) CHECK(kept.peak_time == read.peak_time);
      std::size_t different = 0;
      for (std::size_t i = 0; i < kept.own.size(); ++i) {
        amounts const& a = kept.own[i];
        amounts const& b = read.own[i];
        different +=
            !(a.allocated == b.allocated && a.in_use == b.in_use && a.at_peak == b.at_peak);
      }
      CHECK(different == 0);
      if (s.needs_fate() && !s.needs_backtraces()) {
        trace_source again(file.string(), false);
        const object_set chosen = select_by_fate(again, s);
        CHECK(chosen.size() == kept.choice.count);
        kept.choice.objects.for_each([&](std::size_t i) {
          if (!chosen.contains(index->objects().id[i])) {
            FAIL_CHECK("object " << index->objects().id[i] << " is not to be chosen");
          }
        });
      }
      ++compared;
    }
  }
  CHECK(compared >= 100);
}

TEST_CASE("the counts of the viewer's filters, of every trace") {
  std::size_t compared = 0;
  for (auto const& file : memprof_test::traces_in(memprof_test::traces_directory())) {
    if (!std::filesystem::exists(std::filesystem::path(file).replace_extension(".json"))) continue;
    const auto index = index_of(file);
    const auto facts = memprof_test::facts_of(file);
    const auto filters = facts.value("viewer_filters", nlohmann::json::object());
    for (auto const& [name, counts] : filters.items()) {
      INFO(file.filename().string() << ": " << name);
      // memtrace_viewer takes what is never collected for collected at the end; we do not, at the
      // peak.
      const bool at_end = index->facts().peak_time == index->facts().duration;
      if (name == "live at peak" && at_end) continue;
      const index_usage u = usage_of(index, selection_of(texts_of(name)));
      CHECK(u.choice.count == counts["objects"].get<std::uint64_t>());
      CHECK(u.total.allocated.samples == counts["samples"].get<std::uint64_t>());
      ++compared;
    }
  }
  CHECK(compared >= 30);
}

TEST_CASE("the objects of the viewer's own tests") {
  const auto file = memprof_test::traces_directory() / "viewer_test_repo.ctf";
  const auto index = index_of(file);
  const auto ids = [&](std::vector<named_text> const& texts) {
    std::vector<std::uint64_t> result;
    choose(*index, selection_of(texts)).objects.for_each([&](std::size_t i) {
      result.push_back(index->objects().id[i]);
    });
    return result;
  };
  using list = std::vector<std::uint64_t>;
  CHECK(ids({{"size-min", "1025B"}}) == list{36});
  CHECK(ids({{"lifetime-max", "4us"}}) == list{27, 30, 34, 37, 39, 42, 44, 45, 46, 48, 51});
  CHECK(ids({{"function", "Array"}}) == list{0, 36});
  CHECK(ids({{"not-function", ".b"}}) == list{0, 7});
  CHECK(ids({{"not-heap", "minor"}}) == list{0,  1,  4,  5,  6,  7,  9,  14, 15, 21,
                                             22, 23, 25, 28, 29, 31, 32, 33, 35, 36,
                                             38, 40, 41, 43, 47, 49, 50, 52, 53});
  list all_but_36;
  for (std::uint64_t i = 0; i <= 53; ++i) {
    if (i != 36) all_but_36.push_back(i);
  }
  CHECK(ids({{"heap", "minor"}}) == all_but_36);
}

TEST_CASE("a damaged trace is there up to its damage") {
  const auto bad = memprof_test::traces_directory() / "bad";
  std::size_t damaged = 0, shown = 0;
  for (auto const& file : memprof_test::traces_in(bad)) {
    INFO(file.filename().string());
    try {
      const auto index = index_of(file);
      damaged += index->facts().damage ? 1 : 0;
      shown += index->objects().size() > 0 ? 1 : 0;
      const index_usage u = usage_of(index, {});
      CHECK(u.choice.count == index->objects().size());
    } catch (memprof::trace::format_error const&) {
      // Nothing can be known without a trace-info.
    }
  }
  CHECK(damaged >= 10);
  CHECK(shown >= 10);
}

TEST_CASE("inlined calls can be left out, and functions hidden") {
  const auto index = index_of(memprof_test::traces_directory() / "viewer_test_repo.ctf");
  const code_table all = index->codes().seen({});
  const code_table compiled = index->codes().seen({}, false);
  naming how;
  how.hide.emplace_back("/./");
  const code_table none = index->codes().seen(how);
  std::size_t frames = 0, inlined = 0;
  for (code_table::id i = 0; i < all.size(); ++i) {
    frames += all.frames(i).size();
    for (frame const& f : all.frames(i)) inlined += f.inlined ? 1 : 0;
    CHECK(compiled.frames(i).size() == (all.frames(i).empty() ? 0 : 1));
    if (!compiled.frames(i).empty()) {
      CHECK(compiled.frames(i)[0] == all.frames(i)[0]);
      CHECK_FALSE(compiled.frames(i)[0].inlined);
      CHECK(none.innermost_hidden(i));
    }
    CHECK(none.frames(i).empty());
  }
  CHECK(frames > 0);
}
