// SPDX-License-Identifier: MIT
// limits::explain takes the stacks of a task without malloc: a task calls it as often as without.
// And a forked child explains what its parent's task had, and goes on.
#include <algorithm>
#include <cstddef>
#include <new>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "memprof/memprof.hpp"

#include "programs/check.hpp"
#include "support/sanitized.hpp"

using namespace memprof::literals;

namespace {

/// A block of a resource whose memory is no one's business here.
class arena : public std::pmr::memory_resource {
  void* do_allocate(std::size_t size, std::size_t) override {
    CHECK(used_ + size <= sizeof memory_);
    used_ += (size + 15) / 16 * 16;
    return memory_ + used_ - (size + 15) / 16 * 16;
  }
  void do_deallocate(void*, std::size_t, std::size_t) override {}
  [[nodiscard]] bool do_is_equal(memory_resource const& other) const noexcept override {
    return this == &other;
  }
  alignas(16) inline static std::byte memory_[64 << 20];
  std::size_t used_ = 0;
};

arena memory;
memprof::memory_resource source{&memory};

[[gnu::noinline]] void take(std::size_t blocks) {
  for (std::size_t i = 0; i < blocks; ++i) static_cast<void>(source.allocate(1000));
  asm volatile("# take");
}

bool is_explained(memprof::interrupted const& error) {
  auto const stacks = error.allocated_stacks();
  return !stacks.empty() && std::ranges::any_of(stacks[0].callstack, [](void* frame) {
    return memprof::describe(frame).find("take") != std::string::npos;
  });
}

void fork_in_task() {
  pid_t child = 0;
  auto const r = memprof::run_limited({.allocations = 4_MiB, .explain = 3}, [&] {
    take(2000);
    child = fork();
    take(10'000);
  });
  CHECK(!r && is_explained(r.error()));
  if (child == 0) _exit(0);
  int status = -1;
  CHECK(waitpid(child, &status, 0) == child && status == 0);
}

}  // namespace

#if !MEMPROF_SANITIZED
namespace {
std::size_t calls = 0;
}
extern "C" void* __libc_malloc(std::size_t size);
extern "C" void* malloc(std::size_t size) {
  ++calls;
  return __libc_malloc(size);
}

namespace {
/// What the task calls, up to the end of its stack's unwinding.
std::size_t calls_of_task(unsigned explain) {
  std::size_t inside = 0;
  auto const r =
      memprof::run_limited({.allocations = 4_MiB, .memory = 4_MiB, .explain = explain}, [&] {
        struct at_end {
          std::size_t& result;
          std::size_t before = calls;
          ~at_end() { result = calls - before; }
        } const end{inside};
        take(10'000);
      });
  CHECK(!r && is_explained(r.error()) == (explain > 0));
  return inside;
}
}  // namespace
#endif

int main() {
  memprof::set_process_sampling_rate(memprof::sampling_rate{0.01});
  memprof::set_limit_sampling_rate(memprof::sampling_rate{0.01});
#if !MEMPROF_SANITIZED
  static_cast<void>(calls_of_task(0));  // the first interrupt of a process reads files
  CHECK(calls_of_task(5) == calls_of_task(0));
#endif
  fork_in_task();
}
