// SPDX-License-Identifier: MIT
#include "analysis/thread_groups.hpp"

#include <map>
#include <string>
#include <vector>

#include "support/catch2.hpp"

using namespace memprof;
using analysis::thread_groups;

namespace {

std::vector<std::string> labels(thread_groups const& g) {
  std::vector<std::string> all;
  for (auto const& one : g.all()) all.push_back(one.label);
  return all;
}

trace::info process(std::uint64_t pid) {
  trace::info i;
  i.pid = pid;
  return i;
}

}  // namespace

TEST_CASE("few threads, each by itself: by name, with the id where names are alike") {
  const std::vector<trace::thread> threads{{1, 10, "prog"}, {2, 11, "prog"},  {3, 12, "prog"},
                                           {4, 11, "prog"}, {5, 13, "a\nb"},  {6, 14, "early"},
                                           {6, 14, "late"}, {7, 15, "no use"}};
  const thread_groups g(threads, process(10),
                        {{0, 1}, {1, 1}, {2, 1}, {3, 1}, {4, 1}, {5, 1}, {6, 1}, {8, 1}});
  CHECK(labels(g) == std::vector<std::string>{"unknown thread", "prog (main)", "prog 11 #2",
                                              "prog 12", "prog 11 #4", "a?b", "late", "thread #8"});
  CHECK(g.of(4).label == "prog 11 #4");
  CHECK(g.of_code(thread_groups::code_of(g.of(3))).label == "prog 12");
}

TEST_CASE("5000 threads: those of like names together") {
  std::vector<std::string> names{"main"};
  std::vector<trace::thread> threads;
  std::map<std::uint32_t, std::uint64_t> samples{{1, 1000}};
  for (std::uint32_t i = 2; i <= 5000; ++i) {
    names.push_back((i % 2 == 0 ? "worker-" : "io ") + std::to_string(i));
    samples[i] = 1;
  }
  for (std::uint32_t i = 1; i <= 5000; ++i) threads.push_back({i, 100 + i, names[i - 1]});
  const thread_groups g(threads, process(101), samples);
  CHECK(labels(g) ==
        std::vector<std::string>{"main (main)", "worker-#, 2500 threads", "io #, 2499 threads"});
  CHECK(g.of(2).number == 2);
  CHECK(g.of(5000).number == 2);
  CHECK(g.of(4999).number == 3);
}

TEST_CASE("many names: those that allocated least together") {
  std::vector<std::string> names;
  std::vector<trace::thread> threads;
  std::map<std::uint32_t, std::uint64_t> samples;
  for (std::uint32_t i = 1; i <= 1000; ++i) {
    std::string name = "t";
    for (std::uint32_t n = i; n > 0; n /= 26) name += static_cast<char>('a' + n % 26);
    names.push_back(name);
    samples[i] = i == 500 ? 1'000'000 : i;
  }
  for (std::uint32_t i = 1; i <= 1000; ++i) threads.push_back({i, i, names[i - 1]});
  const thread_groups g(threads, process(0), samples);
  REQUIRE(g.all().size() == thread_groups::most);
  CHECK(g.of(500).label == names[499]);
  CHECK(g.of(1000).label == names[999]);
  CHECK(g.of(1).label == "937 other threads");
  CHECK(&g.of(1) == &g.of(2));
}
