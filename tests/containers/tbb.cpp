// SPDX-License-Identifier: MIT
// Library: oneTBB
// Package: libtbb-dev
// Modules: tbb
#include <atomic>
#include <tbb/blocked_range.h>
#include <tbb/concurrent_vector.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include "survey.hpp"

int main(int count, char** arguments) {
  containers::survey s(count, arguments);
  // The calling thread alone does the work: the others would be interrupted by nobody.
  s.function("tbb::task_arena", "execute, parallel_for, task_group", [] {
    tbb::global_control const one(tbb::global_control::max_allowed_parallelism, 1);
    tbb::task_arena arena(1);
    std::atomic<int> sum{0};
    arena.execute([&] {
      tbb::parallel_for(tbb::blocked_range<int>(0, 8), [&](tbb::blocked_range<int> const& r) {
        for (int i = r.begin(); i < r.end(); ++i) sum += containers::text(i).empty() ? 0 : i;
      });
      tbb::task_group group;
      for (int i = 0; i < 4; ++i)
        group.run([&sum, i] { sum += containers::text(i).empty() ? 0 : 1; });
      group.wait();
    });
    CHECK(sum == 32);
  });
  return s.run();
}
