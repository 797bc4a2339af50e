// SPDX-License-Identifier: MIT
// The first limit of all in a child that was forked while another thread held the loader's lock,
// which no thread releases there: it must not be waited for.
#include <atomic>
#include <link.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "memprof/memprof.hpp"

#include "check.hpp"

using namespace memprof::literals;

namespace {

std::atomic<bool> held{false};
std::atomic<bool> enough{false};

int hold(dl_phdr_info*, std::size_t, void*) {
  held = true;
  while (!enough) usleep(1000);
  return 1;
}

}  // namespace

int main() {
  std::thread holder([] { dl_iterate_phdr(&hold, nullptr); });
  while (!held) usleep(1000);
  pid_t const child = fork();
  if (child == 0) {
    alarm(20);
    auto const r =
        memprof::run_limited({.allocations = 4_KiB, .count = memprof::counting::exact}, [] {
          while (true) ::operator delete(::operator new(100));
        });
    CHECK(!r && r.error().deliveries() == 1);
    _exit(0);
  }
  int status = 0;
  CHECK(waitpid(child, &status, 0) == child);
  enough = true;
  holder.join();
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}
