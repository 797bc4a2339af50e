// SPDX-License-Identifier: MIT
#include "tools/kill_cause.hpp"

#include "folder.hpp"

using namespace memprof::tools;
using memprof::test::folder;

TEST_CASE("kill_cause: the kernel's count has grown, since the beginning and since last asked") {
  const folder f;
  f.write("events", "low 0\noom 7\noom_kill 3\n");
  kill_count count(f.path() / "events");
  CHECK_FALSE(count.has_grown());
  CHECK_FALSE(count.has_grown_again());
  f.write("events", "low 0\noom 8\noom_kill 4\n");
  CHECK(count.has_grown());
  CHECK(count.has_grown_again());
  CHECK_FALSE(count.has_grown_again());
  CHECK(count.has_grown());
}

TEST_CASE("kill_cause: a count that was not to be read at first tells of no kill") {
  const folder f;
  kill_count count(f.path() / "events");
  f.write("events", "oom_kill 3\n");  // which may be of last year
  CHECK_FALSE(count.has_grown());
  CHECK_FALSE(count.has_grown_again());
  f.write("events", "oom_kill 4\n");
  CHECK_FALSE(count.has_grown());
  CHECK(count.has_grown_again());
}

TEST_CASE("kill_cause: a count that cannot be read meanwhile is not forgotten") {
  const folder f;
  f.write("events", "oom_kill 3\n");
  kill_count count(f.path() / "events");
  f.write("events", "");
  CHECK_FALSE(count.has_grown_again());
  f.write("events", "oom_kill 4\n");
  CHECK(count.has_grown_again());
}
