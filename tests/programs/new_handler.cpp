// SPDX-License-Identifier: MIT
// operator new without memory calls the new handler until there is memory, or no handler is left.
#include <cstdlib>
#include <new>
#include <sys/resource.h>

#include "memprof/memprof.hpp"

#include "check.hpp"

namespace {

void* reserve = nullptr;
int calls = 0;

void give_up_reserve() {
  ++calls;
  std::free(reserve);
  reserve = nullptr;
  std::set_new_handler(nullptr);
}

}  // namespace

int main() {
  for (double rate : {0.0, 1.0}) {
    memprof::set_process_sampling_rate(memprof::sampling_rate{rate});
    const std::size_t most = std::size_t{512} << 20;
    rlimit limit{};
    getrlimit(RLIMIT_AS, &limit);
    const rlimit unlimited = limit;
    limit.rlim_cur = most + (std::size_t{64} << 20);
    reserve = std::malloc(most / 2);
    CHECK(reserve != nullptr);
    setrlimit(RLIMIT_AS, &limit);
    calls = 0;
    std::set_new_handler(&give_up_reserve);
    void* block = ::operator new(most * 3 / 4);
    CHECK(calls == 1 && reserve == nullptr);
    ::operator delete(block);
    bool thrown = false;
    try {
      ::operator delete(::operator new(most * 2));
    } catch (memprof::limit_exceeded const&) {
      CHECK(false);
    } catch (std::bad_alloc const&) {
      thrown = true;
    }
    CHECK(thrown);
    setrlimit(RLIMIT_AS, &unlimited);
  }
}
