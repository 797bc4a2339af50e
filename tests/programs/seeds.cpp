// SPDX-License-Identifier: MIT
// The seed: another one in each process, in each forked child, and in the threads of these, so that
// no two take the same samples; the same ones again if it is set. Without getrandom, too.
//
//     seeds               the test
//     seeds report N      for the test: forks N children; each process prints its seed and samples
//
// Samples are compared by which of 256 blocks got one at rate 1/2, 3 in 4. Two independent ones are
// equal once in 1e52 runs.
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "memprof/memprof.hpp"

#include "check.hpp"

namespace {

using bits = std::array<std::uint64_t, 4>;

/// Which of 256 blocks of this thread get a sample.
bits samples() {
  bits seen{};
  std::uint64_t before = memprof::counters().sampled_blocks;
  for (std::size_t i = 0; i < 256; ++i) {
    ::operator delete(::operator new(8));
    const std::uint64_t now = memprof::counters().sampled_blocks;
    if (now != before) seen[i / 64] |= std::uint64_t{1} << i % 64;
    before = now;
  }
  return seen;
}

/// Of one process: its seed, the samples of the thread that began it and of two more.
struct record {
  std::uint64_t seed;
  std::array<bits, 3> of_threads;
};

record look() {
  record r{};
  r.seed = memprof::counters().seed;
  r.of_threads[0] = samples();
  for (std::size_t i = 1; i < 3; ++i) std::thread([&] { r.of_threads[i] = samples(); }).join();
  return r;
}

constexpr std::size_t most = 64;
struct records {
  std::size_t size = 0;
  std::array<record, most> all{};
};

void write_record() {
  const record r = look();
  CHECK(write(1, &r, sizeof r) == sizeof r);
}

/// The children, one after the other, and then this process.
int report(int children) {
  memprof::set_process_sampling_rate(memprof::sampling_rate{0.5});
  (void)samples();  // the sequence has begun when the children are forked
  for (int i = 0; i < children; ++i) {
    const pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
      write_record();
      _exit(0);
    }
    int status = 0;
    CHECK(waitpid(child, &status, 0) == child && status == 0);
  }
  write_record();
  return 0;
}

/// From here on getrandom fails, also in programs that are executed. False: it cannot be refused.
bool refuse_getrandom() {
  sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getrandom, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program{.len = std::size(code), .filter = code};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0;
}

/// What this program reports with `children`, run once more.
void run(records& into, char const* children, char const* seed, bool refused = false) {
  int ends[2];
  CHECK(pipe(ends) == 0);
  const pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    if (seed != nullptr) {
      setenv("MEMPROF_SEED", seed, 1);
    } else {
      unsetenv("MEMPROF_SEED");
    }
    if (refused && !refuse_getrandom()) std::puts("getrandom cannot be refused here");
    dup2(ends[1], 1);
    close(ends[0]);
    close(ends[1]);
    execl("/proc/self/exe", "seeds", "report", children, static_cast<char*>(nullptr));
    _exit(127);
  }
  close(ends[1]);
  record r;
  while (read(ends[0], &r, sizeof r) == sizeof r) {
    CHECK(into.size < most);
    into.all[into.size++] = r;
  }
  close(ends[0]);
  int status = 0;
  CHECK(waitpid(child, &status, 0) == child && status == 0);
}

bool all_differ(records const& r) {
  static std::array<bits, most * 3> sequences;
  static std::array<std::uint64_t, most> seeds;
  std::size_t n = 0;
  for (std::size_t i = 0; i < r.size; ++i) {
    seeds[i] = r.all[i].seed;
    for (bits const& b : r.all[i].of_threads) sequences[n++] = b;
  }
  std::sort(sequences.begin(), sequences.begin() + n);
  std::sort(seeds.begin(), seeds.begin() + r.size);
  return std::adjacent_find(sequences.begin(), sequences.begin() + n) == sequences.begin() + n &&
         std::adjacent_find(seeds.begin(), seeds.begin() + r.size) == seeds.begin() + r.size;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 3 && std::strcmp(argv[1], "report") == 0) return report(std::atoi(argv[2]));

  // Three processes, two of them without getrandom, with eight children each.
  static records random;
  run(random, "8", nullptr);
  run(random, "8", nullptr, true);
  run(random, "8", nullptr, true);
  CHECK(random.size == 27);
  CHECK(all_differ(random));

  // With a seed all of it replays.
  static records fixed;
  run(fixed, "8", "7");
  run(fixed, "8", "7");
  CHECK(fixed.size == 18);
  for (std::size_t i = 0; i < 9; ++i) {
    CHECK(std::memcmp(&fixed.all[i], &fixed.all[9 + i], sizeof(record)) == 0);
  }
  fixed.size = 9;
  CHECK(all_differ(fixed));

  // So it does from a seed that was reported, here by a parent.
  std::array<char, 24> text{};
  std::snprintf(text.data(), text.size(), "%ju", std::uintmax_t{random.all[8].seed});
  static records again;
  run(again, "8", text.data());
  CHECK(std::memcmp(again.all.data(), random.all.data(), 9 * sizeof(record)) == 0);
}
