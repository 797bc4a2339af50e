// SPDX-License-Identifier: MIT
#include "tools/run/memory_pressure.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include "../folder.hpp"

using namespace memprof::tools;
using memprof::test::folder;

namespace {

pressure_places in(folder const& f) {
  return {.groups = {.root = f.path() / "cgroup", .of_process = f.path() / "own"},
          .machine = f.path() / "pressure",
          .memory = f.path() / "meminfo"};
}

}  // namespace

TEST_CASE("memory_pressure: what is missing is said, and the rest is watched") {
  const folder f;
  const memory_pressure nothing(in(f));
  CHECK(nothing.not_watched() == "no control group: none is seen in " + f.path().string() +
                                     "/cgroup; no stalls: " + f.path().string() +
                                     "/pressure: No such file or directory");
  f.write("own", "0::/job\n");
  f.write("cgroup/job/cgroup.procs", "");
  f.write("cgroup/job/memory.current", "1048576\n");
  f.write("cgroup/job/memory.max", "104857600\n");
  memory_pressure p(in(f));
  CHECK(p.not_watched() ==
        "no stalls: " + f.path().string() + "/pressure: No such file or directory; no stalls: " +
            f.path().string() + "/cgroup/job/memory.pressure: No such file or directory");
  CHECK(p.look({}) == "");
  f.write("cgroup/job/memory.current", "104857600\n");
  CHECK(p.look({}) == "its control group /job has 100 MiB of at most 100 MiB");
}

TEST_CASE("memory_pressure: files that may not be opened") {
  if (geteuid() == 0) return;  // root may
  const folder f;
  f.write("own", "0::/\n");
  f.write("cgroup/cgroup.procs", "");
  f.write("pressure", "");
  chmod((f.path() / "pressure").c_str(), 0);
  CHECK(memory_pressure(in(f)).not_watched() ==
        "no stalls: " + f.path().string() + "/pressure: Permission denied");
}

TEST_CASE("memory_pressure: triggers are written as the kernel wants them") {
  const folder f;
  f.write("own", "0::/\n");
  f.write("cgroup/cgroup.procs", "");
  f.write("pressure", "");
  memory_pressure p(in(f));
  CHECK(p.not_watched() == "");
  CHECK(p.look({}) == "");  // a plain file has no stalls
  CHECK(*text_of_file(f.path() / "pressure") == std::string("some 100000 1000000\0", 20));
}

TEST_CASE("memory_pressure: this kernel takes the trigger, or says why not") {
  stall_trigger t("/proc/pressure/memory");
  INFO(t.why_not());
  if (access("/proc/pressure/memory", W_OK) == 0) {
    CHECK((t.why_not().empty() || t.why_not().ends_with("Operation not supported")));
  } else {
    CHECK_FALSE(t.why_not().empty());
  }
  CHECK_FALSE(t.fired());
}

TEST_CASE("memory_pressure: how much the machine has") {
  const auto memory = machine_memory_in(
      "MemTotal:       24683600 kB\nMemFree:  1 kB\nMemAvailable:     135168 kB\n");
  REQUIRE(memory);
  CHECK(memory->available == 135168 * 1024.0);
  CHECK(memory->total == 24683600 * 1024.0);
  CHECK_FALSE(machine_memory_in("MemTotal:       24683600 kB\n"));
  CHECK_FALSE(machine_memory_in("MemAvailable:"));
  CHECK_FALSE(machine_memory_in(""));
}
