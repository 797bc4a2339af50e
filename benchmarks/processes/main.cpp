// SPDX-License-Identifier: MIT
//
// One workload in a process of its own, about 30 frames deep. run.py compares processes: this
// program with memprof, the same source without, and that one with libraries preloaded.
//
//     processes WORKLOAD COUNT
//
// With memprof and a rate in MEMPROF_BENCHMARK_PROFILE a profile runs: each sampled block
// is kept track of, with its call stack. Prints one line of JSON.
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "workloads.hpp"

#ifndef PROCESSES_BARE
#include "memprof/memprof.hpp"
#endif

namespace {

constexpr struct {
  std::string_view name;
  processes::findings (*run)(std::int64_t);
} workloads[] = {
    {"new", processes::new_delete},
    {"malloc-64", processes::malloc_64},
    {"malloc-512", processes::malloc_512},
    {"rnd", processes::random_sizes},
    {"strings", processes::strings},
    {"two-threads", processes::two_threads},
    {"four-threads", processes::four_threads},
    {"producer-consumer", processes::producer_consumer},
    {"ring-of-four", processes::ring_of_four},
    {"live", processes::live_blocks},
    {"spawn", processes::spawning},
    {"throw", processes::throwing},
};

#ifdef PROCESSES_BARE
void start_what_is_asked_for() {}
#else
void start_what_is_asked_for() {
  memprof::trace_if_requested();
  char const* const rate = std::getenv("MEMPROF_BENCHMARK_PROFILE");
  if (rate == nullptr) return;
  using kept = std::size_t;
  const auto keep_number = [](memprof::allocation const& a) { return std::optional{a.n_samples}; };
  static memprof::profile whole_run = memprof::start(
      memprof::sampling_rate{std::atof(rate)},
      memprof::tracker<kept, kept>{.alloc_minor = keep_number,
                                   .alloc_major = keep_number,
                                   .promote = [](kept n) { return std::optional{n}; }});
}
#endif

[[gnu::noinline]] processes::findings run_at(int frames, processes::findings (*run)(std::int64_t),
                                             std::int64_t count) {
  if (frames == 0) return run(count);
  auto found = run_at(frames - 1, run, count);
  asm volatile("" : : "r"(&found) : "memory");  // no tail call
  return found;
}

}  // namespace

int main(int argc, char** argv) {
  const std::int64_t count = argc == 3 ? std::atoll(argv[2]) : 0;
  for (auto const& workload : workloads) {
    if (count <= 0 || workload.name != argv[1]) continue;
    start_what_is_asked_for();
    driving::print(run_at(25, workload.run, count));
    std::fflush(stdout);
    return 0;
  }
  std::fputs("usage: processes WORKLOAD COUNT\nWorkloads:", stderr);
  for (auto const& workload : workloads) std::fprintf(stderr, " %s", workload.name.data());
  std::fputc('\n', stderr);
  return 2;
}
