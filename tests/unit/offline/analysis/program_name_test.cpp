// SPDX-License-Identifier: MIT
#include "analysis/program_name.hpp"

#include "support/catch2.hpp"

namespace analysis = memprof::analysis;

namespace {

std::string named(char const* file, std::vector<analysis::text_note> const& notes) {
  memprof::trace::info info;
  info.executable_name = file;
  info.pid = 12;
  return analysis::program_name(info, notes);
}

}  // namespace

TEST_CASE("program name: the file, or what was typed if that is another name") {
  CHECK(named("/usr/bin/sleep", {{"command", "sleep 1"}}) == "/usr/bin/sleep");
  CHECK(named("/usr/bin/sleep", {}) == "/usr/bin/sleep");
  CHECK(named("/usr/bin/redis-check-rdb", {{"command", "redis-server --port 1"}}) ==
        "redis-server");
  CHECK(named("/usr/bin/redis-check-rdb", {{"command", "/usr/bin/redis-server"}}) ==
        "/usr/bin/redis-server");
  CHECK(named("/usr/bin/python3.11", {{"command", "'./my script.py' -v"}}) == "./my script.py");
  CHECK(named("", {{"command", ""}}).empty());
  CHECK(named("/usr/bin/x", {{"command", "'"}}) == "/usr/bin/x");
}

TEST_CASE("program name: of a process that was not started by the recorder, the kernel's name") {
  CHECK(named("/usr/bin/redis-check-rdb", {{"threads", "12 redis-server\n13 bio_close_file"}}) ==
        "redis-server");
  CHECK(named("/usr/bin/redis-check-rdb", {{"threads", "121 other\n13 bio"}}) ==
        "/usr/bin/redis-check-rdb");
  // The kernel has 15 characters of it.
  CHECK(named("/usr/lib/a-long-name-of-a-program", {{"threads", "12 a-long-name-of-"}}) ==
        "/usr/lib/a-long-name-of-a-program");
}
