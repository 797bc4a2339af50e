// SPDX-License-Identifier: MIT
// The audit of a correct sampler: its p-value is uniform, however it is used. That a faulty one is
// found out is tests/planted_bias' business.
#include <cstdint>
#include <vector>

#include "memprof/sampling_audit.hpp"

#include "statistical/audit_workloads.hpp"
#include "support/audited.hpp"
#include "support/catch2.hpp"
#include "support/goodness_of_fit.hpp"

using namespace memprof;
using namespace memprof::test;

namespace {

/// Puts rates back.
struct rates_kept {
  ~rates_kept() {
    set_process_sampling_rate(default_sampling_rate);
    set_limit_sampling_rate(sampling_rate{0.0});
  }
};

}  // namespace

// Fails for correct code once in 1e11 seeds, for each of three p-values.
TEST_CASE("the p-value of a correct sampler is uniform, whatever is dropped and stopped") {
  const rates_kept kept;
  for (workload const& w : audit_workloads) {
    std::vector<double> both;
    std::vector<double> count;
    std::vector<double> shape;
    for (int seed = 0; seed < w.seeds; ++seed) {
      set_seed(1'000'000 + static_cast<std::uint64_t>(seed));
      const audited seen;
      w.run();
      const sampling::test_result v = seen.verdict();
      REQUIRE(v.p < 1);  // there were enough samples
      both.push_back(v.p);
      count.push_back(v.count_p);
      shape.push_back(v.shape_p);
    }
    CAPTURE(w.name);
    CHECK(uniform_fit_p(both) > false_alarm);
    CHECK(uniform_fit_p(count) > false_alarm);
    CHECK(uniform_fit_p(shape) > false_alarm);
  }
}

// 26 million samples: the public function, once, at its stated threshold. Other tests of this
// program repeat seeds, so this one looks at its own part only.
TEST_CASE("a long run is found correct") {
  const rates_kept kept;
  set_seed(77);
  const audited seen;
  for (const double per_word : {1e-4, 1e-2, 0.5}) {
    set_rate(per_word);
    for (int i = 0; i < 1'000'000; ++i) count_block(i % 100 + 1);
  }
  const sampling::test_result v = seen.verdict();
  CAPTURE(v.samples, v.expected, v.z, v.count_p, v.shape_p);
  CHECK(v.samples > 25'000'000);
  CHECK(v.p > 1e-9);

  const sampling_audit a = audit_sampling();
  CHECK(a.samples >= v.samples);
  CHECK(a.audited.count() >= seen.words());
  CHECK(a.expected >= v.expected);
  CHECK((a.p_value >= 0 && a.p_value <= 1));
}
