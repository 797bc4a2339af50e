// SPDX-License-Identifier: MIT
// What a running profile holds is no leak: programs keep one until they end.
#include "memprof/memprof.hpp"

#include "profile/recorder.hpp"
#include "support/catch2.hpp"

// Null but in the presets `asan` and `clang-asan`.
extern "C" [[gnu::weak]] int __lsan_do_recoverable_leak_check();

using namespace memprof;
using namespace memprof::test;

TEST_CASE("profile: LeakSanitizer finds what a running profile holds", "[profile]") {
  const profile_alone scene;
  recorder r;
  profile p = start(sampling_rate{1.0}, r.tracker());
  CHECK((__lsan_do_recoverable_leak_check == nullptr || __lsan_do_recoverable_leak_check() == 0));
  p.stop();
  p.discard();
}
