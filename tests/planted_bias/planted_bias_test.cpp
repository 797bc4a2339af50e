// SPDX-License-Identifier: MIT
// A sampler with a fault is found out by its own audit, with a p-value under 1e-9; the same work
// and seed without the fault is not. Seeds are fixed.
#include <cmath>
#include <cstdint>
#include <thread>

#include "planted_bias/fault.hpp"
#include "statistical/audit_workloads.hpp"
#include "support/audited.hpp"
#include "support/catch2.hpp"

using namespace memprof;
using namespace memprof::test;

namespace {

/// The audit of `work` with a fault in effect.
template <class Work>
sampling::test_result verdict_with(fault f, Work const& work) {
  planted.store(f);
  set_rate(default_sampling_rate.per_word());  // where gaps are drawn that way
  set_seed(2026);
  const audited seen;
  work();
  const sampling::test_result v = seen.verdict();
  planted.store(fault::none);
  set_rate(default_sampling_rate.per_word());
  return v;
}

template <class Work>
void check_caught(fault f, Work const& work) {
  const sampling::test_result honest = verdict_with(fault::none, work);
  const sampling::test_result faulty = verdict_with(f, work);
  CAPTURE(honest.samples, honest.z, honest.count_p, honest.shape_p);
  CAPTURE(faulty.samples, faulty.z, faulty.count_p, faulty.shape_p);
  CHECK(honest.p > 1e-9);
  CHECK(faulty.p < 1e-9);
}

}  // namespace

TEST_CASE("audit: samples that come 3 % too often are found out, by their number") {
  const auto work = [] {
    set_rate(1e-3);
    count_blocks(20'000'000, 5);
  };
  check_caught(fault::rate, work);
  CHECK(verdict_with(fault::rate, work).count_p < 1e-9);
  CHECK(verdict_with(fault::rate, work).z > 0);
}

TEST_CASE("audit: gaps that are one word too long are found out at a high rate") {
  check_caught(fault::gap_too_long, [] {
    set_rate(0.1);
    count_blocks(100'000, 1);
  });
}

TEST_CASE("audit: gaps of the right mean and the wrong law are found out, by their shape") {
  const auto work = [] {
    set_rate(1e-3);
    count_blocks(1'000'000, 5);
  };
  check_caught(fault::uniform_gaps, work);
  CHECK(verdict_with(fault::uniform_gaps, work).shape_p < 1e-9);
}

TEST_CASE("audit: blocks that never get more than one sample are found out") {
  check_caught(fault::rest_not_drawn, [] {
    set_rate(1e-3);
    count_blocks(3000, 1000);
  });
}

TEST_CASE("audit: samples that are lost because the countdown was set too late are found out") {
  check_caught(fault::late_arming, [] {
    set_rate(1e-3);
    count_blocks(1'000'000, 5);
  });
}

TEST_CASE("audit: a new rate that begins with a gap of the old one is found out") {
  check_caught(fault::old_gap_kept, [] {
    for (int i = 0; i < 2000; ++i) {
      set_rate(i % 2 == 0 ? 1e-3 : 1e-2);
      count_blocks(20, 8);
    }
  });
}

TEST_CASE("audit: threads that draw the same random numbers are found out") {
  check_caught(fault::shared_stream, [] {
    set_rate(1e-2);
    for (int i = 0; i < 100; ++i) std::thread([] { count_blocks(500, 8); }).join();
  });
}
