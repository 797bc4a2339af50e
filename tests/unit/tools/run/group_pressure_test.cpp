// SPDX-License-Identifier: MIT
#include "tools/run/group_pressure.hpp"

#include "../folder.hpp"

using namespace memprof::tools;
using memprof::test::folder;

namespace {

constexpr std::uint64_t mib = 1 << 20;

group_reading limited(std::uint64_t used_mib) {
  return {.used = used_mib * mib, .high = {}, .limit = 100 * mib};
}

}  // namespace

TEST_CASE("group_pressure: at nine tenths of the limit, once, and again after eight tenths") {
  group_levels l;
  CHECK(l.look(limited(10)) == "");
  CHECK(l.look(limited(89)) == "");
  CHECK(l.look(limited(90)) == "has 90.0 MiB of at most 100 MiB");
  CHECK(l.look(limited(99)) == "");
  CHECK(l.look(limited(85)) == "");
  CHECK(l.look(limited(95)) == "");
  CHECK(l.look(limited(79)) == "");
  CHECK(l.look(limited(95)) == "has 95.0 MiB of at most 100 MiB");
}

TEST_CASE("group_pressure: what others held before is no reason") {
  group_levels l;
  CHECK(l.look(limited(95)) == "");
  CHECK(l.look(limited(98)) == "");
  CHECK(l.look(limited(70)) == "");
  CHECK(l.look(limited(95)) != "");
}

TEST_CASE("group_pressure: memory.high counts where it slows the group down") {
  group_levels l;
  group_reading r{.used = 50 * mib, .high = 100 * mib, .limit = {}, .high_events = 7};
  CHECK(l.look(r) == "");
  r.high_events = 9;  // page cache, which was dropped
  CHECK(l.look(r) == "");
  r.used = 101 * mib;
  CHECK(l.look(r) == "");  // it has not been slowed down there
  r.high_events = 10;
  CHECK(l.look(r) == "has 101 MiB, and is slowed down above 100 MiB");
  r.high_events = 11;
  CHECK(l.look(r) == "");
  r.used = 60 * mib;
  CHECK(l.look(r) == "");
  r.used = 100 * mib;
  r.high_events = 12;
  CHECK(l.look(r) != "");
}

TEST_CASE("group_pressure: out of memory within one look") {
  group_levels l;
  CHECK(l.look(limited(10)) == "");
  group_reading r = limited(20);  // what it had is gone already
  r.oom_events = 1;
  CHECK(l.look(r) == "has 20.0 MiB of at most 100 MiB");
  CHECK(l.look(r) == "");
  r.limit.reset();  // one of a group inside
  r.oom_events = 2;
  CHECK(l.look(r) == "is out of memory, with 20.0 MiB");
}

TEST_CASE("group_pressure: the files of version 2") {
  const folder f;
  f.write("memory.current", "94371840\n");
  f.write("memory.max", "104857600\n");
  f.write("memory.high", "max\n");
  f.write("memory.stat",
          "anon 1\nfile 5\ninactive_file 1048576\nactive_file 2097152\nslab_reclaimable 3145728\n");
  f.write("memory.events", "low 0\nhigh 3\nmax 5\noom 1\noom_kill 0\n");
  const memory_group g{.folder = f.path(), .name = "/job", .second_version = true};
  const group_reading r = read_group(g);
  CHECK(r.used == 84 * mib);
  CHECK(r.limit == 100 * mib);
  CHECK_FALSE(r.high);
  CHECK(r.high_events == 3);
  CHECK(r.oom_events == 1);
  CHECK(read_group_limits(g).used == 90 * mib);

  group_watch w(g);
  const auto now = group_watch::clock::time_point{} + std::chrono::hours(1);
  CHECK(w.look(now) == "");
  f.write("memory.current", "99614720\n");
  CHECK(w.look(now) == "");  // 89 MiB, as far as they cannot be dropped
  f.write("memory.current", "104857600\n");
  CHECK(w.look(now) == "its control group /job has 94.0 MiB of at most 100 MiB");
}

TEST_CASE("group_pressure: the files of version 1") {
  const folder f;
  const memory_group g{.folder = f.path(), .name = "/job", .second_version = false};
  f.write("memory.usage_in_bytes", "99614720\n");
  f.write("memory.limit_in_bytes", "9223372036854771712\n");
  f.write("memory.stat",
          "inactive_file 0\ntotal_inactive_file 4194304\ntotal_active_file 1048576\n");
  CHECK_FALSE(read_group(g).limit);  // there is none
  group_watch w(g);
  CHECK(w.look({}) == "");
  f.write("memory.limit_in_bytes", "104857600\n");  // somebody sets one meanwhile
  CHECK(w.look({}) == "its control group /job has 90.0 MiB of at most 100 MiB");
}

TEST_CASE("group_pressure: files that are missing say nothing") {
  const folder f;
  group_watch w({.folder = f.path() / "gone", .name = "/gone", .second_version = true});
  CHECK(w.look({}) == "");
}
