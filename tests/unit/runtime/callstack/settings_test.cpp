// SPDX-License-Identifier: MIT
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

#include "memprof/callstack.hpp"

#include "callstack/callstack.hpp"
#include "support/catch2.hpp"

using memprof::callstack_method;

TEST_CASE("callstack settings: what is set is in force") {
  const std::size_t before = memprof::callstack_depth();
  memprof::set_callstack_depth(7);
  CHECK(memprof::callstack_depth() == 7);
  memprof::set_callstack_depth(0);
  CHECK(memprof::callstack_depth() == 0);
  memprof::set_callstack_depth(4096);
  CHECK_THROWS_AS(memprof::set_callstack_depth(4097), std::invalid_argument);
  CHECK(memprof::callstack_depth() == 4096);
  memprof::set_callstack_depth(before);
  memprof::set_callstack_method(callstack_method::unwind_tables);
  CHECK(memprof::get_callstack_method() == callstack_method::unwind_tables);
  memprof::set_callstack_method(callstack_method::automatic);
}

TEST_CASE("callstack settings: malformed ones are named") {
  memprof::base::setting_error error;
  memprof::callstack::read_settings(error);
  CHECK_FALSE(error);
  setenv("MEMPROF_CALLSTACK", "dwarf", 1);
  memprof::callstack::read_settings(error);
  CHECK(std::string(error.text).find("MEMPROF_CALLSTACK='dwarf'") != std::string::npos);
  unsetenv("MEMPROF_CALLSTACK");
  error = {};
  setenv("MEMPROF_CALLSTACK_DEPTH", "4097", 1);
  memprof::callstack::read_settings(error);
  CHECK(std::string(error.text).find("MEMPROF_CALLSTACK_DEPTH='4097'") != std::string::npos);
  unsetenv("MEMPROF_CALLSTACK_DEPTH");
}

/// Run by the next test, in a process whose environment says so.
TEST_CASE("callstack settings: in a process that was started with them", "[.child]") {
  REQUIRE(memprof::callstack_depth() == 33);
  REQUIRE(memprof::get_callstack_method() == callstack_method::unwind_tables);
}

TEST_CASE("callstack settings: from the environment") {
  const pid_t child = fork();
  if (child == 0) {
    setenv("MEMPROF_CALLSTACK", "tables", 1);
    setenv("MEMPROF_CALLSTACK_DEPTH", "33", 1);
    execl("/proc/self/exe", "test", "[.child]", "--out", "/dev/null", nullptr);
    _exit(127);
  }
  int status = -1;
  waitpid(child, &status, 0);
  CHECK(status == 0);
}
