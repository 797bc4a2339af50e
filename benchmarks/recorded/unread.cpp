// SPDX-License-Identifier: MIT
//
// unread PRELOAD-LIBRARY RATE PROGRAM ARGUMENTS: runs a program that is recorded by nobody. Its
// samples and stacks go into the shared memory as under `memprof record`, and stay there: what the
// reader and writer cost beside it is the difference. Ends with status 1 if the memory had no room
// for all of them.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <sys/wait.h>
#include <unistd.h>

#include "recorder/shared_memory.hpp"

int main(int count, char** arguments) try {
  if (count < 4) return 2;
  const memprof::recorder::shared_memory memory(false, -1);
  const pid_t child = fork();
  if (child == 0) {
    memory.enter_first_process();
    setenv(memprof::relay::variable, memory.invitation().c_str(), 1);
    setenv("LD_PRELOAD", arguments[1], 1);
    setenv("MEMTRACE_RATE", arguments[2], 1);
    execvp(arguments[3], arguments + 3);
    _exit(127);
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child) return 1;
  std::uint64_t pushed = 0;
  std::uint64_t dropped = 0;
  for (std::size_t i = 0; i < memprof::relay::most_channels; ++i) {
    pushed += memory.channel(i).events.claimed();
    dropped += memory.channel(i).dropped.load();
  }
  if (pushed == 0 || dropped != 0) {
    std::fprintf(stderr, "unread: %llu slots pushed, %llu events dropped\n",
                 static_cast<unsigned long long>(pushed), static_cast<unsigned long long>(dropped));
    return 1;
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
} catch (std::exception const& e) {
  std::fprintf(stderr, "unread: %s\n", e.what());
  return 1;
}
