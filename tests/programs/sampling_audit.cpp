// SPDX-License-Identifier: MIT
// The audit of a whole program: real allocations by several threads, short and long ones, with
// rates that change and a task that is interrupted; and a forked child, whose audit is its own. A
// correct sampler fails once in 1e9 seeds, and the seed is fixed.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "memprof/memprof.hpp"

#include "programs/check.hpp"

using namespace memprof;

namespace {

void work(unsigned seed) {
  std::vector<std::string> kept(500);
  for (unsigned i = 0; i < 40'000; ++i) {
    seed = seed * 1'664'525 + 1'013'904'223;
    kept[seed % 500].assign((seed >> 8) % 300, 'x');
    kept[seed % 500].shrink_to_fit();
    if (i % 1000 == 0) std::free(std::malloc(200'000));
  }
}

void check_audit(sampling_audit const& a) {
  CHECK(a.samples > 200);
  CHECK(a.z > -7 && a.z < 7);
  CHECK(a.p_value > 1e-9 && a.p_value <= 1);
  CHECK(a.count_p_value > 1e-9 && a.shape_p_value > 1e-9);
}

}  // namespace

int main() {
  const sampling_audit none = audit_sampling();
  CHECK(none.p_value == 1);  // too few
  set_process_sampling_rate(sampling_rate{1e-3});
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 3; ++t) threads.emplace_back(work, t);
  for (std::thread& t : threads) t.join();
  set_process_sampling_rate(sampling_rate{1e-2});
  for (unsigned t = 0; t < 100; ++t) std::thread([] { std::free(std::malloc(5000)); }).join();
  (void)limit_allocations(bytes{1'000'000}, [] { work(9); });
  const sampling_audit all = audit_sampling();
  check_audit(all);
  CHECK(all.audited > words{1'000'000});
  CHECK(all.expected > 1000);

  const pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    const sampling_audit fresh = audit_sampling();
    CHECK(fresh.audited < words{10'000});
    work(3);
    const sampling_audit mine = audit_sampling();
    check_audit(mine);
    CHECK(mine.audited < all.audited);
    _exit(0);
  }
  int status = -1;
  CHECK(waitpid(child, &status, 0) == child && status == 0);
  return 0;
}
