// SPDX-License-Identifier: MIT
#include "tools/memory_group.hpp"

#include <cerrno>

#include "folder.hpp"

using namespace memprof::tools;
using memprof::test::folder;

TEST_CASE("memory_group: version 1 where it has the controller, else version 2") {
  const folder f;
  const group_places places{.root = f.path(), .of_process = f.path() / "own"};
  CHECK_FALSE(find_memory_group(places));
  f.write("own", "4:memory:/job/a\n0::/job/b\n");
  CHECK_FALSE(find_memory_group(places));
  f.write("cgroup.procs", "");
  f.write("job/b/cgroup.procs", "");
  CHECK(find_memory_group(places).folder == f.path() / "job/b");
  CHECK(find_memory_group(places).second_version);
  f.write("memory/job/a/cgroup.procs", "");
  CHECK(find_memory_group(places).folder == f.path() / "memory/job/a");
  CHECK(find_memory_group(places).name == "/job/a");
  CHECK_FALSE(find_memory_group(places).second_version);
  CHECK(find_second_version_group(places).folder == f.path() / "job/b");
}

TEST_CASE("memory_group: in a container the path may be the host's, and the root is ours") {
  const folder f;
  f.write("own", "0::/host/path/of/it\n");
  f.write("cgroup.procs", "");
  const memory_group g = find_memory_group({.root = f.path(), .of_process = f.path() / "own"});
  CHECK(g.folder == f.path());
  CHECK(g.name == "/");
  CHECK(with_outer_groups(g).size() == 1);
}

TEST_CASE("memory_group: the groups around a group") {
  const folder f;
  f.write("own", "0::/a/b/c\n");
  for (auto const* name : {"", "a/", "a/b/", "a/b/c/"}) {
    f.write(std::string(name) + "cgroup.procs", "");
  }
  const auto all =
      with_outer_groups(find_memory_group({.root = f.path(), .of_process = f.path() / "own"}));
  REQUIRE(all.size() == 4);
  CHECK(all[0].name == "/a/b/c");
  CHECK(all[1].name == "/a/b");
  CHECK(all[3].name == "/");
  CHECK(all[3].folder == f.path());
}

TEST_CASE("memory_group: numbers in its files") {
  constexpr char events[] = "low 1\nhigh 22\nmax 333\noom 4\noom_kill 5\nhigher x\n";
  CHECK(number_in(events, "high") == 22);
  CHECK(number_in(events, "oom") == 4);
  CHECK(number_in(events, "oom_kill") == 5);
  CHECK_FALSE(number_in(events, "higher"));
  CHECK_FALSE(number_in(events, "group"));
  CHECK(number_in("max 7", "max") == 7);
  CHECK(number_in("123456\n") == 123456);
  CHECK_FALSE(number_in("max\n"));
  CHECK_FALSE(number_in(""));
  CHECK_FALSE(number_in("99999999999999999999999"));
  const folder f;
  CHECK_FALSE(text_of_file(f.path() / "none"));
  CHECK(errno == ENOENT);
  // The kernel hands such files out in parts.
  CHECK(value_in("/proc/vmstat", "nr_free_pages") > 0);
  f.write("file", std::string(20'000, 'x'));
  CHECK(text_of_file(f.path() / "file")->size() == 16'384);
}
