// SPDX-License-Identifier: MIT
#include "analysis/wrappers.hpp"

#include <filesystem>
#include <span>
#include <string>
#include <unistd.h>
#include <vector>

#include "memprof/trace/writer.hpp"

#include "analysis/trace_source.hpp"
#include "support/catch2.hpp"

using namespace memprof;
using namespace memprof::analysis;
using names = std::vector<std::string>;

namespace {

/// The wrappers of a trace in which each of these stacks, outermost call first, allocates so often.
/// "f:3" is line 3 of f.
struct allocating_stack {
  names calls;
  unsigned times;
};

wrappers wrappers_of(std::vector<allocating_stack> const& stacks) {
  const auto file = std::filesystem::temp_directory_path() /
                    ("memprof-wrappers-" + std::to_string(::getpid()) + ".ctf");
  names known;
  trace::location place;
  trace::writer to(file, {}, [&](trace::location_code code) {
    std::string const& call = known[code - 1];
    const std::size_t colon = call.find(':');
    place = {.filename = "f.c", .defname = std::string_view(call).substr(0, colon), .line = 1};
    if (colon != call.npos) {
      place.line = static_cast<std::uint32_t>(std::stoul(call.substr(colon + 1)));
    }
    return std::span<trace::location const>(&place, 1);
  });
  for (auto const& [calls, times] : stacks) {
    std::vector<trace::location_code> codes;
    for (std::string const& call : calls) {
      auto at = std::ranges::find(known, call);
      if (at == known.end()) at = known.insert(known.end(), call);
      codes.push_back(static_cast<trace::location_code>(at - known.begin()) + 1);
    }
    for (unsigned i = 0; i < times; ++i) {
      to.allocation(std::chrono::microseconds{0}, trace::heap::minor, 1, 1, codes);
    }
  }
  to.close();
  trace_source source(file.string(), false);
  const wrappers found =
      find_wrappers(read_usage(source, {.chosen = {}, .names = {}, .lives = false}));
  std::filesystem::remove(file);
  return found;
}

}  // namespace

TEST_CASE("a function that allocates in one line for many callers is a wrapper") {
  const wrappers found = wrappers_of({{{"main", "a", "xmalloc"}, 20},
                                      {{"main", "b", "xmalloc"}, 20},
                                      {{"main", "c", "xmalloc"}, 20},
                                      {{"main", "d", "xmalloc"}, 20},
                                      {{"main", "e"}, 20}});
  CHECK(found.functions == names{"xmalloc"});
  CHECK(found.share == 0.8);
}

TEST_CASE("callers of a wrapper may be wrappers, too") {
  const wrappers found = wrappers_of({{{"a", "xstrdup", "xmalloc"}, 20},
                                      {{"b", "xstrdup", "xmalloc"}, 20},
                                      {{"c", "xstrdup", "xmalloc"}, 20},
                                      {{"d", "xstrdup", "xmalloc"}, 20},
                                      {{"e", "xmalloc"}, 50},
                                      {{"f", "xmalloc"}, 50},
                                      {{"g", "xmalloc"}, 50}});
  CHECK(found.functions == names{"xmalloc", "xstrdup"});
}

TEST_CASE(
    "not a wrapper: few callers, one that is most of it, several lines, callees, few samples") {
  CHECK(wrappers_of({{{"a", "f"}, 50}, {{"b", "f"}, 50}, {{"c", "f"}, 50}}).functions.empty());
  CHECK(wrappers_of({{{"a", "f"}, 80}, {{"b", "f"}, 8}, {{"c", "f"}, 6}, {{"d", "f"}, 6}})
            .functions.empty());
  CHECK(
      wrappers_of({{{"a", "f:1"}, 20}, {{"b", "f:2"}, 20}, {{"c", "f:3"}, 20}, {{"d", "f:4"}, 20}})
          .functions.empty());
  CHECK(wrappers_of({{{"a", "f"}, 20},
                     {{"b", "f"}, 20},
                     {{"c", "f"}, 20},
                     {{"d", "f"}, 20},
                     {{"d", "f:9", "g"}, 20}})
            .functions.empty());
  CHECK(wrappers_of({{{"a", "f"}, 4}, {{"b", "f"}, 4}, {{"c", "f"}, 4}, {{"d", "f"}, 4}})
            .functions.empty());
}
