// SPDX-License-Identifier: MIT
// pthread_cancel and pthread_exit unwind through a limit: it lets the forced unwinding pass, also
// after its limit was hit.
#include <atomic>
#include <pthread.h>
#include <unistd.h>

#include "memprof/memprof.hpp"

#include "check.hpp"

using namespace memprof::literals;

namespace {

std::atomic<bool> running{false};
std::atomic<int> cleaned{0};

struct cleanup {
  ~cleanup() { ++cleaned; }
};

void* waits(void*) {
  (void)memprof::limit_allocations(100_MiB, [] {
    const cleanup c;
    running = true;
    while (true) pause();
  });
  CHECK(false);
}

void* exits(void*) {
  (void)memprof::limit_allocations(0_B, [] {
    const cleanup c;
    try {
      while (true) ::operator delete(::operator new(100'000));
    } catch (memprof::limit_exceeded const&) {
      // swallowed: the limit is hit, and then the thread ends
    }
    pthread_exit(reinterpret_cast<void*>(7));
  });
  CHECK(false);
}

}  // namespace

int main() {
  pthread_t thread{};
  void* value = nullptr;
  CHECK(pthread_create(&thread, nullptr, waits, nullptr) == 0);
  while (!running) usleep(1000);
  CHECK(pthread_cancel(thread) == 0);
  CHECK(pthread_join(thread, &value) == 0);
  CHECK(value == PTHREAD_CANCELED && cleaned == 1);
  CHECK(pthread_create(&thread, nullptr, exits, nullptr) == 0);
  CHECK(pthread_join(thread, &value) == 0);
  CHECK(value == reinterpret_cast<void*>(7) && cleaned == 2);
}
