// SPDX-License-Identifier: MIT
// A malformed environment variable: an error that names it from every limit function, and the task
// is not run. The program sets it and starts itself again, since it is read at the start.
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

#include "memprof/memprof.hpp"

#include "check.hpp"

using namespace memprof::literals;

namespace {

int with_bad_setting(char const* name) {
  bool ran = false;
  bool refused = false;
  try {
    (void)memprof::limit_allocations(1_MiB, [&] { ran = true; });
  } catch (std::invalid_argument const& e) {
    refused = std::string(e.what()).find(name) != std::string::npos &&
              std::string(e.what()).find("limit_allocations") != std::string::npos;
  }
  CHECK(!memprof::is_active());
  return refused && !ran ? 33 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1) return with_bad_setting(argv[1]);
  char const* const cases[][2] = {
      {"MEMPROF_RATE", "fast"},          {"MEMPROF_RATE", "1.5"},  {"MEMPROF_RATE", "-1e-4"},
      {"MEMPROF_RATE", "1e-4x"},         {"MEMPROF_RATE", "nan"},  {"MEMPROF_SEED", "-1"},
      {"MEMPROF_SEED", "0x10"},          {"MEMPROF_NURSERY", "0"}, {"MEMPROF_CALLSTACK", "rbp"},
      {"MEMPROF_CALLSTACK_DEPTH", "-1"}, {"MEMPROF_GUARD", "2"}};
  for (auto const& [name, value] : cases) {
    const pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
      setenv(name, value, 1);
      execl("/proc/self/exe", argv[0], name, nullptr);
      _exit(127);
    }
    int status = 0;
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 33);
  }
}
