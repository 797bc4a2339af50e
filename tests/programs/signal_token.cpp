// SPDX-License-Identifier: MIT
// A token set from a signal handler, while a timer's signals arrive at 1 kHz in the middle of
// allocations, system calls and throws.
#include <atomic>
#include <signal.h>
#include <sys/time.h>

#include "memprof/memprof.hpp"

#include "check.hpp"

namespace {

memprof::token* current = nullptr;
std::atomic<int> signals{0};

void on_timer(int) {
  ++signals;
  if (memprof::token* t = current) t->set("timer");
}

}  // namespace

int main() {
  memprof::set_process_sampling_rate(memprof::sampling_rate{0.1});
  struct sigaction action {};
  action.sa_handler = on_timer;
  action.sa_flags = SA_RESTART;
  CHECK(sigaction(SIGALRM, &action, nullptr) == 0);
  itimerval every{{0, 1000}, {0, 1000}};
  CHECK(setitimer(ITIMER_REAL, &every, nullptr) == 0);
  for (int round = 0; round < 300; ++round) {
    memprof::token t;
    current = &t;
    const auto r = memprof::limit_with_token(t, [] {
      while (true) {
        ::operator delete(::operator new(100));
        ::operator delete(::operator new(10'000));
      }
    });
    current = nullptr;
    CHECK(!r);
    CHECK(r.error().kind() == memprof::limit_kind::token);
    CHECK(r.error().reason() != nullptr);
  }
  CHECK(signals >= 300);
}
