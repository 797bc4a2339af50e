// SPDX-License-Identifier: MIT
// The contract of Gc.Memprof (docs of memprof/sampling.hpp), one rule after another.
#include <cmath>
#include <limits>
#include <optional>
#include <stdexcept>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "memprof/memprof.hpp"

#include "profile/recorder.hpp"
#include "support/allocate.hpp"
#include "support/catch2.hpp"
#include "support/sanitized.hpp"

using namespace memprof;
using namespace memprof::test;

TEST_CASE("profile: at rate 1 what is reported is exactly what was allocated", "[profile]") {
  const profile_alone scene;
  recorder r;
  profile p = start(sampling_rate{1.0}, r.tracker());
  for (std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{8}, std::size_t{9},
                           std::size_t{2040}, std::size_t{2041}, std::size_t{100'000}}) {
    release(allocate(size), size);
  }
  const std::uint64_t allocs = r.allocs();
  p.stop();
  release(allocate(8), 8);
  CHECK(allocs == 7);
  CHECK(r.allocs() == 7);
  // Words without the header: 0 1 1 2 255, and 256 12500; one more sample each.
  CHECK(r.samples_minor == 259 + 5);
  CHECK(r.samples_major == 256 + 12'500 + 2);
  CHECK(r.size_words == 259 + 256 + 12'500);
  CHECK(r.minors == 5);
  CHECK(r.majors == 2);
  CHECK(r.minor_frees == 5);
  CHECK(r.major_frees == 2);
  CHECK(r.order == 0);
  CHECK(r.last_source == static_cast<std::uint32_t>(replaced ? allocation_source::operator_new
                                                             : allocation_source::resource));
  p.discard();
}

TEST_CASE("profile: the malloc family and external blocks have their own sources", "[profile]") {
  const profile_alone scene;
  static external device{"device"};
  recorder r;
  profile p = start(sampling_rate{1.0}, r.tracker());
  device.report_allocation(&r, bytes{800});
  const std::uint32_t from_device = r.last_source;
  const std::int64_t device_words = r.size_words;
  device.report_deallocation(&r);
  std::uint64_t before = r.allocs();
  void* volatile block = std::malloc(100);
  const std::uint32_t from_malloc = r.last_source;
  block = std::realloc(block, 200);  // a new block, and the end of the old one
  const std::uint64_t after = r.allocs();
  const std::uint64_t frees = r.frees();
  std::free(block);
  p.stop();
  CHECK(from_device == static_cast<std::uint32_t>(allocation_source::external));
  CHECK(device_words == 100);
  if (replaced) {
    CHECK(from_malloc == static_cast<std::uint32_t>(allocation_source::malloc));
    CHECK(after == before + 2);
    CHECK(frees == 2);
    CHECK(r.frees() == 3);
  } else {
    CHECK(after == before);
  }
}

TEST_CASE("profile: rate 0 and null_tracker", "[profile]") {
  const profile_alone scene;
  recorder r;
  {
    profile p = start(sampling_rate{0.0}, r.tracker());
    CHECK(p.is_sampling());
    churn(1000_kw);
    p.stop();
  }
  CHECK(r.allocs() == 0);
  profile p = start(sampling_rate{1.0}, null_tracker);
  churn(1_kw);
  p.stop();
  p.discard();
  CHECK(p.failures() == 0);
  profile q = start(sampling_rate{1.0}, null_tracker, 0);
}

TEST_CASE("profile: the order of start, stop and discard", "[profile]") {
  const profile_alone scene;
  CHECK_THROWS_AS(start(sampling_rate{1.5}, null_tracker), std::invalid_argument);
  CHECK_THROWS_AS(start(sampling_rate{std::nan("")}, null_tracker), std::invalid_argument);
  CHECK_THROWS_AS(start(sampling_rate{0.5}, null_tracker, 4097), std::invalid_argument);
  profile p = start(sampling_rate{0.0}, null_tracker);
  CHECK_THROWS_AS(start(sampling_rate{0.0}, null_tracker), std::logic_error);
  CHECK_THROWS_AS(p.discard(), std::logic_error);
  CHECK(p.is_sampling());
  p.stop();
  CHECK_FALSE(p.is_sampling());
  CHECK_THROWS_AS(p.stop(), std::logic_error);
  profile q = start(sampling_rate{0.0}, null_tracker);
  CHECK_THROWS_AS(p.stop(), std::logic_error);
  CHECK(q.is_sampling());
  p.discard();
  CHECK_THROWS_AS(p.discard(), std::logic_error);
  CHECK_THROWS_AS(p.stop(), std::logic_error);
  profile moved = std::move(q);
  CHECK_THROWS_AS(q.stop(), std::logic_error);  // NOLINT: moved from
  CHECK_FALSE(q.is_sampling());
  CHECK(q.failures() == 0);
  moved.stop();
}

TEST_CASE("profile: after stop blocks live on, until discard or the handle's end", "[profile]") {
  const profile_alone scene;
  const bool by_handle = GENERATE(true, false);
  recorder r;
  std::optional<profile> p = start(sampling_rate{1.0}, r.tracker());
  void* const first = allocate(8);
  void* const second = allocate(8);
  p->stop();
  release(first, 8);
  CHECK(r.minor_frees == 1);
  if (by_handle) {
    p.reset();
  } else {
    p->discard();
  }
  release(second, 8);
  CHECK(r.allocs() == 2);
  CHECK(r.frees() == 1);
}

TEST_CASE("profile: a stopped one's blocks are its own while the next one samples", "[profile]") {
  const profile_alone scene;
  recorder r1;
  recorder r2;
  profile p1 = start(sampling_rate{1.0}, r1.tracker());
  void* const old_block = allocate(8);
  p1.stop();
  profile p2 = start(sampling_rate{1.0}, r2.tracker());
  void* const new_block = allocate(8);
  release(old_block, 8);
  release(new_block, 8);
  p2.stop();
  CHECK(r1.allocs() == 1);
  CHECK(r1.frees() == 1);
  CHECK(r2.allocs() == 1);
  CHECK(r2.frees() == 1);
}

TEST_CASE("profile: blocks are promoted after a nursery's worth, and at thread exit", "[profile]") {
  const profile_alone scene;
  set_nursery(1_kw);
  recorder r;
  profile p = start(sampling_rate{1.0}, r.tracker());
  void* const stays = allocate(80);
  churn(2_kw);
  const std::uint64_t promoted = r.promotions;
  release(stays, 80);
  const std::uint64_t major_frees = r.major_frees;
  void* from_thread = nullptr;
  std::thread([&] { from_thread = allocate(80); }).join();
  const std::uint64_t at_exit = r.promotions - promoted;
  const std::uint64_t before = r.major_frees;
  release(from_thread, 80);
  p.stop();
  CHECK(promoted >= 1);
  CHECK(major_frees == 1);
  CHECK(at_exit >= 1);
  CHECK(r.major_frees >= before + 1);
  CHECK(r.order == 0);
  CHECK(r.promotions < r.allocs() / 4);
}

namespace {

/// Calls, and does not jump.
[[gnu::noinline]] void* call_site() {
  void* block = allocate(8);
  asm volatile("" : "+r"(block) : : "memory");
  return block;
}

template <class Function>
bool is_in(std::uintptr_t address, Function* function) {
  return address - reinterpret_cast<std::uintptr_t>(function) < 256;
}

}  // namespace

TEST_CASE("profile: call stacks begin at the program's call, and are as long as was asked for",
          "[profile]") {
  const profile_alone scene;
  const std::size_t most =
      GENERATE(std::size_t{0}, std::size_t{1}, std::size_t{3}, std::size_t{300});
  static std::size_t seen;
  static std::uintptr_t inner;
  seen = 9999;
  profile p = start(
      sampling_rate{1.0},
      tracker<int, int>{.alloc_minor =
                            [](allocation const& a) {
                              seen = a.callstack.size();
                              inner =
                                  seen == 0 ? 0 : reinterpret_cast<std::uintptr_t>(a.callstack[0]);
                              return std::optional<int>{};
                            }},
      most);
  release(call_site(), 8);
  p.stop();
  if (most < 300) {
    CHECK(seen == most);
  } else {
    CHECK(seen > 3);
    CHECK(seen <= 300);
  }
  if (most > 0) {
    [[maybe_unused]] const bool direct = is_in(inner, &call_site);
    // The tests' `allocate` may be there, too, if it did not end in a jump. Without optimisation,
    // and under the thread sanitizer, no function does, of the library neither.
#if defined(__OPTIMIZE__) && !MEMPROF_THREAD_SANITIZED
    CHECK((direct || is_in(inner, &memprof::test::allocate)));
#endif
  }
}

TEST_CASE("profile: a forked child has the profile, and parent and child go on", "[profile]") {
  const profile_alone scene;
  recorder r;
  profile p = start(sampling_rate{1.0}, r.tracker());
  void* const block = allocate(8);
  const std::uint64_t allocs = r.allocs();
  const pid_t child = fork();
  if (child == 0) {
    release(block, 8);
    release(allocate(8), 8);
    bool right = r.minor_frees == 2 && r.allocs() == allocs + 1;
    p.stop();
    p.discard();
    profile q = start(sampling_rate{1.0}, r.tracker());
    release(allocate(8), 8);
    right = right && r.allocs() == allocs + 2;
    _exit(right ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  CHECK(status == 0);
  const std::uint64_t frees = r.minor_frees;
  release(block, 8);
  CHECK(r.minor_frees == frees + 1);
  p.stop();
}
