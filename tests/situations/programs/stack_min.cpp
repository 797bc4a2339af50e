// SPDX-License-Identifier: MIT
// Threads on stacks of 16 KiB, the least there is, in a program with 8 KB of thread-local data,
// which glibc takes from the thread's stack, as it does ours. Where symbols are bound lazily the
// loader's own frames come on top, 3 KB of registers with AVX-512: then, over glibc 2.41, there is
// room for 8,128 bytes with memprof and for 8,608 without (docs/reliability.md).
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <pthread.h>

namespace {

thread_local char volatile large[8064];

void* run(void*) {
  large[10] = 1;
  for (std::size_t k = 1; k < 100; ++k) {
    void* const p = std::malloc(k * 10);
    std::memset(p, 1, k * 10);
    std::free(p);
  }
  delete new int(large[10]);
  return nullptr;
}

}  // namespace

int main() {
  for (std::size_t more = 0; more <= 8192; more += 4096) {
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 16384 + more);
    pthread_t thread{};
    int const error = pthread_create(&thread, &attributes, &run, nullptr);
    if (error == 0) pthread_join(thread, nullptr);
    std::printf("%zu more: %d\n", more, error);
  }
  return 0;
}
