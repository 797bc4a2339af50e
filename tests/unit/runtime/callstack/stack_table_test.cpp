// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstdint>
#include <map>
#include <random>
#include <set>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "callstack/callstack.hpp"
#include "support/catch2.hpp"

using namespace memprof::callstack;

namespace {

using frames = std::vector<std::uintptr_t>;

frames read(stack_table const& t, stack_id id) {
  const auto found = t.frames_of(id);
  return {found.begin(), found.end()};
}

/// Stacks that share much: n of them, of 1 to 40 frames.
std::vector<frames> random_stacks(std::size_t n) {
  std::mt19937_64 random{20260101};
  std::vector<frames> all;
  for (std::size_t i = 0; i < n; ++i) {
    frames f(1 + random() % 40);
    for (auto& pc : f) pc = 0x5555'0000'0000 + random() % 4 * 16;
    all.push_back(f);
  }
  return all;
}

}  // namespace

TEST_CASE("stack table: the same stack has the same number, another has another") {
  static constinit stack_table table;
  std::map<frames, stack_id> known;
  std::set<stack_id> numbers;
  for (int round = 0; round < 2; ++round) {
    for (frames const& f : random_stacks(20'000)) {
      const stack_id id = table.intern(f);
      REQUIRE(id != 0);
      const auto [place, fresh] = known.emplace(f, id);
      if (fresh) REQUIRE(numbers.insert(id).second);
      REQUIRE(place->second == id);
    }
  }
  CHECK(table.size().stacks == known.size());
  CHECK(table.size().refused == 0);
  CHECK(table.size().bytes >= known.size() * 16);
  for (auto const& [f, id] : known) REQUIRE(read(table, id) == f);
}

TEST_CASE("stack table: no frames, most frames, too many") {
  static constinit stack_table table;
  CHECK(table.intern({}) == 0);
  CHECK(table.frames_of(0).empty());
  CHECK(table.frames_of(12345).empty());
  frames most(largest_stack);
  for (std::size_t i = 0; i < most.size(); ++i) most[i] = i;
  const stack_id id = table.intern(most);
  CHECK(read(table, id) == most);
  frames more = most;
  more.push_back(1);
  CHECK(table.intern(more) == id);
  // The longest again and again: none is cut by the end of a chunk.
  for (std::uintptr_t i = 0; i < 100; ++i) {
    most[0] = 1'000'000 + i;
    REQUIRE(read(table, table.intern(most)) == most);
  }
  CHECK(table.size().stacks == 101);
}

TEST_CASE("stack table: a full one refuses what is new, and counts it") {
  static constinit stack_table table{1};
  CHECK(table.size().bytes == 0);
  frames f(1022);
  stack_id first = 0;
  std::size_t taken = 0;
  for (std::uintptr_t i = 0; i < 1000; ++i) {
    f[0] = i;
    const stack_id id = table.intern(f);
    if (id == 0) break;
    if (first == 0) first = id;
    ++taken;
  }
  CHECK(taken == stack_table::chunk_words / 1024 - 1);
  CHECK(table.size().refused == 1);
  CHECK(table.size().bytes == stack_table::chunk_words * 8);
  f[0] = 0;
  CHECK(table.intern(f) == first);
}

TEST_CASE("stack table: from four threads") {
  static constinit stack_table table;
  const auto stacks = random_stacks(5000);
  constexpr std::size_t count = 4;
  std::vector<std::vector<stack_id>> found(count);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < count; ++t) {
    threads.emplace_back([&stacks, &ids = found[t]] {
      for (frames const& f : stacks) {
        ids.push_back(table.intern(f));
        const auto there = table.frames_of(ids.back());
        if (!std::equal(there.begin(), there.end(), f.begin(), f.end())) ids.back() = 0;
      }
    });
  }
  for (std::thread& t : threads) t.join();
  const std::set<frames> different(stacks.begin(), stacks.end());
  CHECK(table.size().stacks == different.size());
  CHECK(std::count(found[0].begin(), found[0].end(), 0u) == 0);
  for (auto const& ids : found) CHECK(ids == found[0]);
}

TEST_CASE("stack table: a forked child has the parent's stacks, and its own from then on") {
  const std::uintptr_t pcs[] = {1, 2, 3};
  const stack_id id = intern(pcs);
  REQUIRE(id != 0);
  const pid_t child = fork();
  if (child == 0) {
    const std::uintptr_t others[] = {4, 5};
    const stack_id other = intern(others);
    const bool right = intern(pcs) == id && other != id && other != 0 &&
                       frames_of(other).size() == 2 && frames_of(id)[2] == 3;
    _exit(right ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  CHECK(status == 0);
}
