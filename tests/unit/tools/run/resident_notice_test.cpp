// SPDX-License-Identifier: MIT
//
// Over real processes, which map memory and wait.
#include "tools/run/resident_notice.hpp"

#include <cmath>
#include <csignal>
#include <cstring>
#include <functional>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "support/catch2.hpp"
#include "support/sanitized.hpp"
#include "tools/run/process_status.hpp"

using namespace memprof::tools;
using namespace std::chrono_literals;

namespace {

constexpr double MiB = 1 << 20;

void* mapped(std::size_t mib, int flags = MAP_PRIVATE | MAP_ANONYMOUS) {
  void* const at = mmap(nullptr, mib << 20, PROT_READ | PROT_WRITE, flags, -1, 0);
  REQUIRE(at != MAP_FAILED);
  std::memset(at, 1, mib << 20);
  return at;
}

/// A process that has done `work`, and waits.
class waiting_process {
 public:
  explicit waiting_process(std::function<void()> const& work = [] {}) {
    int ends[2];
    REQUIRE(pipe(ends) == 0);
    id_ = fork();
    if (id_ == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      work();
      static_cast<void>(!write(ends[1], "x", 1));
      for (;;) pause();
    }
    char done = 0;
    REQUIRE(read(ends[0], &done, 1) == 1);
    close(ends[0]);
    close(ends[1]);
  }
  ~waiting_process() {
    kill(id_, SIGKILL);
    waitpid(id_, nullptr, 0);
  }
  waiting_process(waiting_process const&) = delete;
  waiting_process& operator=(waiting_process const&) = delete;

  [[nodiscard]] pid_t id() const { return id_; }

 private:
  pid_t id_;
};

auto const start = resident_notice::clock::now();

/// What it says at the second of two looks.
std::optional<double> looked_twice(resident_notice& n, std::vector<pid_t> const& processes,
                                   double by_malloc,
                                   resident_notice::clock::time_point at = start) {
  CHECK_FALSE(n.look(at, processes, by_malloc));
  return n.look(at + 1h, processes, by_malloc);
}

std::optional<double> looked_twice(double limit, std::vector<pid_t> const& processes,
                                   double by_malloc) {
  resident_notice n(limit);
  return looked_twice(n, processes, by_malloc);
}

}  // namespace

TEST_CASE("process status: anonymous memory, and a process's share of it") {
  const waiting_process bare;
  const waiting_process one([] { mapped(40); });
  const waiting_process other([] { mapped(40, MAP_SHARED | MAP_ANONYMOUS); });
  const auto more = [&](std::uint64_t (*of)(pid_t), waiting_process const& p) {
    return (static_cast<double>(of(p.id())) - static_cast<double>(of(bare.id()))) / MiB;
  };
  // The address sanitizer keeps a byte for 8.
  constexpr double shadow = MEMPROF_SANITIZED != 0 ? 5 : 0;
  // The kernel counts resident pages by threads and processors: up to 64 of each are not there yet.
  CHECK(std::abs(more(&anonymous_of, one) - 40 - shadow) < 3);
  CHECK(std::abs(more(&anonymous_share_of, one) - 40 - shadow) < 3);
  CHECK(std::abs(more(&resident_of, one) - 40 - shadow) < 3);
  CHECK(std::abs(more(&anonymous_of, other) - shadow) < 3);
  CHECK(std::abs(more(&anonymous_share_of, other) - shadow) < 3);
  CHECK(std::abs(more(&resident_of, other) - 40 - shadow) < 3);
  CHECK(anonymous_of(1 << 30) == 0);
  CHECK(anonymous_share_of(1 << 30) == 0);
}

TEST_CASE("resident notice: once, when what is not malloc's is over the limit") {
  const waiting_process p([] { mapped(100); });
  resident_notice n(60 * MiB);
  CHECK_FALSE(n.look(start, {p.id()}, 70 * MiB));  // the limit has its own report
  CHECK_FALSE(n.look(start + 200ms, {p.id()}, 5 * MiB));
  CHECK_FALSE(n.look(start + 250ms, {p.id()}, 5 * MiB));  // a tenth of a second has not passed
  const auto bytes = n.look(start + 400ms, {p.id()}, 5 * MiB);
  REQUIRE(bytes);
  CHECK(*bytes >= 97 * MiB);
  CHECK(*bytes < 200 * MiB);
  CHECK_FALSE(looked_twice(n, {p.id()}, 5 * MiB, start + 2s));

  resident_notice above(300 * MiB);
  CHECK_FALSE(looked_twice(above, {p.id()}, 5 * MiB));
  const waiting_process q([] { mapped(250); });
  CHECK(looked_twice(above, {p.id(), q.id()}, 5 * MiB, start + 10h));  // together
  CHECK_FALSE(looked_twice(60 * MiB, {1 << 30}, 0));
}

#if !MEMPROF_SANITIZED  // with which each of these processes has more memory than a limit here
TEST_CASE("resident notice: a limit that malloc is about to pass is none of its business") {
  const waiting_process p([] { mapped(100); });
  // The rest is less than a quarter of the limit.
  CHECK_FALSE(looked_twice(90 * MiB, {p.id()}, 85 * MiB));
  CHECK(looked_twice(90 * MiB, {p.id()}, 60 * MiB));
  // Or less than what any program has.
  const waiting_process small([] { mapped(12); });
  CHECK_FALSE(looked_twice(2 * MiB, {small.id()}, 1 * MiB));
}

TEST_CASE("resident notice: an amount by malloc that comes late, or goes early, is no news") {
  const waiting_process p([] { mapped(100); });
  resident_notice late(90 * MiB);
  CHECK_FALSE(late.look(start, {p.id()}, 5 * MiB));
  CHECK_FALSE(late.look(start + 1s, {p.id()}, 85 * MiB));
  resident_notice early(90 * MiB);
  CHECK_FALSE(early.look(start, {p.id()}, 85 * MiB));
  CHECK_FALSE(early.look(start + 1s, {p.id()}, 5 * MiB));
  CHECK(early.look(start + 2s, {p.id()}, 5 * MiB));
  // Two looks that are not in a row.
  resident_notice between(90 * MiB);
  CHECK_FALSE(between.look(start, {p.id()}, 5 * MiB));
  CHECK_FALSE(between.look(start + 1s, {p.id()}, 95 * MiB));
  CHECK_FALSE(between.look(start + 2s, {p.id()}, 5 * MiB));
  // The memory of the first look counts.
  const waiting_process less([] { mapped(10); });
  resident_notice grown(90 * MiB);
  CHECK_FALSE(grown.look(start, {less.id()}, 5 * MiB));
  CHECK_FALSE(grown.look(start + 1s, {p.id()}, 5 * MiB));
}
#endif

TEST_CASE("resident notice: what forked processes share counts once") {
  void* const common = mapped(100);
  {
    const waiting_process a, b, c;
    resident_notice n(250 * MiB);
    CHECK(anonymous_of(a.id()) + anonymous_of(b.id()) + anonymous_of(c.id()) > 290u << 20);
    CHECK_FALSE(looked_twice(n, {a.id(), b.id(), c.id()}, 0));
    const waiting_process own([] { mapped(250); });
    const std::vector<pid_t> all{a.id(), b.id(), c.id(), own.id()};
    // Not before a hundred times has passed what the last look took: above 1 ms for 300 MiB (3 ms
    // here). Had this one looked, the next would confirm it.
    CHECK_FALSE(n.look(start + 1h + 101ms, all, 0));
    CHECK_FALSE(n.look(start + 2h, all, 0));
    CHECK(n.look(start + 2h + 100ms, all, 0));  // but it is confirmed at once
  }
  munmap(common, 100 << 20);
}
