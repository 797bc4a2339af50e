// SPDX-License-Identifier: MIT
#include "delivery/decide/frame_verdict.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <thread>

#include "delivery/decide/code_facts.hpp"
#include "delivery/reader/frame_scratch.hpp"
#include "delivery/reader/runtime_addresses.hpp"
#include "support/address_limit.hpp"
#include "support/catch2.hpp"
#include "support/sanitized.hpp"

using namespace memprof::delivery;

namespace {

frame_verdict seen;

/// What is said of the frame that calls this, if its personality were `personality`.
[[gnu::noinline]] void judge_caller(std::uintptr_t personality) {
  const std::uintptr_t pc = reinterpret_cast<std::uintptr_t>(__builtin_return_address(0)) - 1;
  memprof::callstack::procedure p;
  REQUIRE(memprof::callstack::find_procedure(pc, p));
  REQUIRE(p.lsda != nullptr);
  if (personality != 0) p.personality = personality;
  bool permanent = false;
  seen = verdict_in_frame(p, pc, permanent);
  CHECK(permanent);
}

[[gnu::noinline]] void with_text(std::uintptr_t personality) {
  const std::string text(100, 'x');
  asm volatile("" : : "r"(text.data()) : "memory");  // not to be left out
  judge_caller(personality);
  asm volatile("" : : "r"(text.data()) : "memory");
}

[[gnu::noinline]] void with_joinable_thread(std::uintptr_t personality) {
  std::thread t([] {});
  judge_caller(personality);
  t.join();
}

}  // namespace

// g++ gives C++ functions that have clean-ups and no handlers the personality of C, if it optimises
// when linking. What a clean-up does counts there, too.
TEST_CASE("frame verdict: clean-ups with the personality of C++ and with that of C") {
  REQUIRE(prepare_modules());
  constexpr std::uintptr_t c = 0xc0de;
  add_personality(c, language::c);
  for (const std::uintptr_t personality : {std::uintptr_t{0}, c}) {
    with_text(personality);
    CHECK(seen == frame_verdict::pass);
    with_joinable_thread(personality);
    CHECK(seen == frame_verdict::terminate);
  }
}

#if !MEMPROF_SANITIZED
// Memory limits matter most where there is no memory.
TEST_CASE("frame verdict: without memory to read the code there is none, for now") {
  REQUIRE(prepare_modules());
  const std::array<borrowed_scratch, 4> all_that_were_kept;
  bool limited = false;
  {
    const memprof::test::address_limit none{0};
    limited = none.in_effect();
    with_text(0);
  }
  REQUIRE(limited);
  const frame_verdict without_memory = seen;
  CHECK(without_memory == frame_verdict::no_memory);
  CHECK(is_passing(without_memory));
  with_text(0);
  CHECK(seen == frame_verdict::pass);
}
#endif
