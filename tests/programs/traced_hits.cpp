// SPDX-License-Identifier: MIT
// Limits are hit in label{"trace_id", ...} on two threads, while a third reads the last hits, a
// timer's handler makes labels of its own, and children are forked in the middle: an id is whole,
// and belongs to somebody.
#include <atomic>
#include <cstdio>
#include <signal.h>
#include <string>
#include <sys/time.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "memprof/memprof.hpp"

#include "check.hpp"

using namespace memprof::literals;

namespace {

std::atomic<int> signals{0};
std::atomic<bool> enough{false};

void on_timer(int) {
  memprof::label const id{"trace_id", "ffffffffffffffffffffffffffffffff"};
  memprof::label const route{"route", "handler"};
  ++signals;
}

/// 32 times the same digit, 1 to 4.
bool is_whole(std::string const& id) {
  return id.size() == 32 && id[0] >= '1' && id[0] <= '4' && id == std::string(32, id[0]);
}

void hit(char who) {
  memprof::label const id{"trace_id", std::string(32, who)};
  auto const r =
      memprof::run_limited({.allocations = 4_KiB, .count = memprof::counting::exact}, [] {
        while (true) ::operator delete(::operator new(100));
      });
  CHECK(!r);
}

void check_last() {
  for (memprof::traced_hit const& h : memprof::traced_hits()) {
    CHECK(h.kind == memprof::limit_kind::allocations);
    CHECK(is_whole(h.trace_id));
  }
}

}  // namespace

int main() {
  memprof::set_process_sampling_rate(memprof::sampling_rate{0.01});
  struct sigaction action {};
  action.sa_handler = on_timer;
  action.sa_flags = SA_RESTART;
  CHECK(sigaction(SIGALRM, &action, nullptr) == 0);
  itimerval every{{0, 500}, {0, 500}};
  CHECK(setitimer(ITIMER_REAL, &every, nullptr) == 0);
  std::thread other([] {
    while (!enough) hit('2');
  });
  std::thread reader([] {
    while (!enough) check_last();
  });
  for (int round = 0; round < 60; ++round) {
    for (int i = 0; i < 20; ++i) hit(i % 2 != 0 ? '1' : '3');
    pid_t const child = fork();
    if (child == 0) {
      check_last();
      hit('4');  // even where a thread of the parent was noting its own
      auto const own = memprof::traced_hits();
      CHECK(own.size() == 1 && own[0].trace_id == std::string(32, '4'));
      _exit(0);
    }
    int status = 0;
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
  enough = true;
  other.join();
  reader.join();
  CHECK(signals > 0);
  CHECK(memprof::current_label_set() == 0);
  CHECK(memprof::labels_left_out() == 0);
}
