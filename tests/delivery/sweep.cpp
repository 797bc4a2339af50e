// SPDX-License-Identifier: MIT
//
// Interrupts each allocation of every workload, in a process each: once whatever the pre-flight
// says, and once as the library behaves.
//
//     sweep [--only NAME] [--most N] [--seed S] [--list] [--verbose]
//
//   --most    at most N allocations of a workload, chosen at random; 0, the default: all.
// Ends with 1 if a "deliver" did harm, or a process was harmed as the library behaves.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <random>
#include <string_view>
#include <vector>

#include "support/observation.hpp"
#include "support/situation.hpp"

namespace {

using namespace memprof::test;

struct options {
  std::string_view only;
  unsigned most = 0;
  unsigned seed = 1;
  bool list = false;
  bool verbose = false;
};

struct totals {
  unsigned points = 0, delivered = 0, refused = 0, needless = 0, wrong = 0, not_alive = 0;
  unsigned defects = 0, late = 0;

  totals& operator+=(totals const& o) {
    points += o.points, delivered += o.delivered, refused += o.refused, needless += o.needless;
    wrong += o.wrong, not_alive += o.not_alive, defects += o.defects, late += o.late;
    return *this;
  }
  void print(char const* name) const {
    std::printf("%-20s %6u %9u %8u %9u %6u %10u %8u %6u\n", name, points, delivered, refused,
                needless, wrong, not_alive, defects, late);
  }
};

/// 1 ... n, or `most` of them.
std::vector<unsigned> ordinals(unsigned n, options const& o) {
  std::vector<unsigned> all(n);
  std::iota(all.begin(), all.end(), 1U);
  if (o.most == 0 || n <= o.most) return all;
  std::vector<unsigned> chosen;
  std::sample(all.begin(), all.end(), std::back_inserter(chosen), o.most, std::mt19937(o.seed));
  return chosen;
}

void tell(situation const& s, unsigned ordinal, char const* how, observation const& seen) {
  std::printf("  %s, allocation %u, %s: %s%s, %s %s\n", s.name, ordinal, how,
              seen.deliver ? "deliver" : "defer: ", seen.reason.data(), to_string(seen.really),
              seen.detail.data());
}

/// A defect of the library: without memprof, std::bad_alloc does the same harm there.
bool is_defect(situation const& s, experiment e) {
  if (s.undecidable == nullptr) return false;
  e.plain = true;
  return is_harm(observe(e).really);
}

totals sweep(situation const& s, options const& o) {
  constexpr unsigned beyond = 1U << 30;
  observation const whole = observe({.body = s.body, .ordinal = beyond, .seconds = 20});
  totals t;
  if (is_harm(whole.really)) {
    tell(s, 0, "not interrupted", whole);
    ++t.wrong;
    return t;
  }
  for (unsigned const k : ordinals(whole.allocations, o)) {
    ++t.points;
    experiment e{.body = s.body, .how = method::force, .ordinal = k};
    observation const forced = observe(e);
    (forced.deliver ? t.delivered : t.refused) += 1;
    if (!forced.deliver && forced.really == reality::delivered) ++t.needless;
    if (forced.deliver && is_harm(forced.really)) {
      bool const defect = is_defect(s, e);
      (defect ? t.defects : t.wrong) += 1;
      if (!defect || o.verbose) tell(s, k, "forced", forced);
    } else if (o.verbose && !forced.deliver) {
      tell(s, k, "forced", forced);
    }
    e.how = method::retry;
    observation const retried = observe(e);
    if (is_harm(retried.really)) {
      // It was raised at the first allocation that did not defer it: std::bad_alloc must do the
      // same harm there.
      e.ordinal = k + retried.deferrals;
      bool const defect = is_defect(s, e);
      (defect ? t.defects : t.not_alive) += 1;
      if (!defect) tell(s, k, "retried", retried);
    }
    if (retried.really == reality::not_reached && retried.deferrals > 0) ++t.late;
  }
  return t;
}

options parsed(int argc, char** argv) {
  options o;
  for (int i = 1; i < argc; ++i) {
    std::string_view const a = argv[i];
    bool const has_value = i + 1 < argc;
    if (a == "--only" && has_value) {
      o.only = argv[++i];
    } else if (a == "--most" && has_value) {
      o.most = static_cast<unsigned>(std::strtoul(argv[++i], nullptr, 10));
    } else if (a == "--seed" && has_value) {
      o.seed = static_cast<unsigned>(std::strtoul(argv[++i], nullptr, 10));
    } else if (a == "--list") {
      o.list = true;
    } else if (a == "--verbose") {
      o.verbose = true;
    } else {
      std::fprintf(stderr, "%s: what is '%s'?\n", argv[0], argv[i]);
      std::exit(2);
    }
  }
  return o;
}

}  // namespace

int main(int argc, char** argv) {
  options const o = parsed(argc, argv);
  totals all;
  if (!o.list) {
    std::printf("%-20s %6s %9s %8s %9s %6s %10s %8s %6s\n", "workload", "points", "delivered",
                "refused", "needless", "wrong", "not alive", "defects", "late");
  }
  for (auto const* s = first_situation(); s != nullptr; s = s->next) {
    if (!o.only.empty() && o.only != s->name) continue;
    if (o.list) {
      std::printf("%s\n", s->name);
      continue;
    }
    totals const t = sweep(*s, o);
    t.print(s->name);
    std::fflush(stdout);
    all += t;
  }
  if (o.list) return 0;
  all.print("all");
  return all.wrong + all.not_alive == 0 && all.points > 0 ? 0 : 1;
}
