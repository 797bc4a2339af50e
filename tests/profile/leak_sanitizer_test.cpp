// SPDX-License-Identifier: MIT
// What a running profile holds is no leak: programs keep one until they end.
#include <optional>

#include "memprof/memprof.hpp"

#include "profile/recorder.hpp"
#include "support/catch2.hpp"

// Null but in the presets `asan` and `clang-asan`: elsewhere nothing can be seen of it.
extern "C" [[gnu::weak]] int __lsan_do_recoverable_leak_check();

using namespace memprof;
using namespace memprof::test;

namespace {

recorder r;
std::optional<profile> running;

/// The stack has no pointer of its left behind, which would hide a leak.
[[gnu::noinline]] void start_elsewhere() {
  running.emplace(start(sampling_rate{1.0}, r.tracker()));
}
[[gnu::noinline]] void clear_stack() {
  char volatile there[1 << 16];
  for (char volatile& c : there) c = 0;
}

}  // namespace

TEST_CASE("profile: LeakSanitizer finds what a running profile holds", "[profile]") {
  const profile_alone scene;
  start_elsewhere();
  clear_stack();
  CHECK((__lsan_do_recoverable_leak_check == nullptr || __lsan_do_recoverable_leak_check() == 0));
  running->stop();
  running->discard();
  running.reset();
}
