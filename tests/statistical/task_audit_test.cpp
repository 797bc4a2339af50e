// SPDX-License-Identifier: MIT
// The audit of a correct sampler over tasks that pause: in the middle of blocks, at limits that
// their samples hit, while rates change, and continue in other threads.
#include <cstdint>
#include <thread>
#include <vector>

#include "memprof/fiber.hpp"
#include "memprof/limits.hpp"

#include "statistical/audit_workloads.hpp"
#include "support/audited.hpp"
#include "support/catch2.hpp"
#include "support/goodness_of_fit.hpp"

using namespace memprof;
using namespace memprof::test;

namespace {

/// 5000 blocks in a task that pauses every few samples and now and then after a quantum.
void paused_tasks(bool elsewhere) {
  set_rate(1.0037e-2);
  task t{limits{.allocations = words{300}}, task_options{.any_thread = elsewhere}, [] {
           for (int i = 0; i < 5000; ++i) {
             const std::size_t size = i % 100 == 0 ? 4000 : 40;
             put_block(get_block(size), size);
           }
         }};
  std::int64_t limit = 300;
  for (int turn = 0; !t.done(); ++turn) {
    const auto go_on = [&] { (void)(turn % 3 == 0 ? t.run_for(words{150}) : t.resume()); };
    if (elsewhere && turn % 5 == 0) {
      std::thread(go_on).join();
    } else {
      go_on();
    }
    if (t.state() != task_state::paused) continue;
    set_rate(turn % 2 == 0 ? 3.001e-2 : 1.0037e-2);
    count_blocks(5, 20);  // the resumer allocates, too
    if (t.pause().reason == pause_reason::limit) t.raise_limit(words{limit += 300});
  }
}

}  // namespace

// Fails for correct code once in 1e11 seeds, for each of two p-values.
TEST_CASE("the p-value of a correct sampler is uniform over tasks that pause") {
  const bool elsewhere = GENERATE(false, true);
  std::vector<double> count;
  std::vector<double> shape;
  std::int64_t more = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    set_seed(5'000'000 + seed);
    const audited seen;
    const std::int64_t before = engine::position_now();
    paused_tasks(elsewhere);
    const engine::audit_totals totals = seen.totals();
    more += totals.words - (engine::position_now() - before);
    const sampling::test_result v = sampling::goodness_of_fit(totals.cells);
    REQUIRE(v.p < 1);
    count.push_back(v.count_p);
    shape.push_back(v.shape_p);
  }
  set_rate(default_sampling_rate.per_word());
  CAPTURE(elsewhere);
  // A block's samples are drawn once, although its task paused in it and the rate changed.
  if (!elsewhere) CHECK(more == 0);
  CHECK(uniform_fit_p(count) > false_alarm);
  CHECK(uniform_fit_p(shape) > false_alarm);
}
