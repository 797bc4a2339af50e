// SPDX-License-Identifier: MIT
// 10 000 nested scopes on one thread: entering, an interrupt of the outermost that passes through
// all, and the errors of those that had an allocation limit themselves.
#include "memprof/memprof.hpp"

#include "check.hpp"

using namespace memprof::literals;

namespace {

int errors = 0;

void nest(int depth) {
  if (depth == 0) {
    while (true) ::operator delete(::operator new(100));
  }
  const auto r =
      memprof::limit_allocations(memprof::max_allocation_limit, [&] { nest(depth - 1); });
  CHECK(!r && r.error().kind() == memprof::limit_kind::allocations);
  ++errors;
}

void nest_memory(int depth, void** block) {
  if (depth == 0) {
    *block = ::operator new(1'000'000);
    return;
  }
  CHECK(memprof::limit_memory(1_GiB, [&] { nest_memory(depth - 1, block); }));
}

void* run(void*) {
  const auto r = memprof::limit_allocations(8_MiB, [] { nest(10'000); });
  CHECK(!r && errors == 10'000);
  const auto before = memprof::live_memory().value;
  void* block = nullptr;
  nest_memory(10'000, &block);
  CHECK(memprof::live_memory().value >= before + 900'000_B);
  ::operator delete(block);  // releases a chain of 10 000 accounts
  CHECK(memprof::live_memory().value <= before + 100'000_B);
  return nullptr;
}

}  // namespace

int main() {
  pthread_attr_t attributes{};
  CHECK(pthread_attr_init(&attributes) == 0);
  CHECK(pthread_attr_setstacksize(&attributes, std::size_t{512} << 20) == 0);
  pthread_t thread{};
  CHECK(pthread_create(&thread, &attributes, run, nullptr) == 0);
  CHECK(pthread_join(thread, nullptr) == 0);
}
