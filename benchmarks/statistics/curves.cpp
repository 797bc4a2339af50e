// SPDX-License-Identifier: MIT
#include "curves.hpp"

#include <cmath>
#include <cstdint>

#include <memprof/bounds.hpp>

#include "table.hpp"

namespace statistics {
namespace {

using memprof::words;

constexpr double risks[] = {1e-9, 1e-14, 1e-50};

words rounded(double n) { return words{static_cast<std::int64_t>(std::llround(n))}; }

/// Calls f with `steps` amounts from `first` to `last`, evenly spaced by their logarithm.
template <class F>
void over_decades(double first, double last, int steps, F&& f) {
  for (int i = 0; i <= steps; ++i) f(first * std::pow(last / first, double(i) / steps));
}

void interruption(std::filesystem::path const& folder) {
  table t(folder, "interruption", "share\tprobability");
  for (std::int64_t const k : {1, 5, 20, 100, 1000}) {
    words const limit{k * 10'000};
    for (int i = 0; i <= 250; ++i) {
      double const share = i * 0.01;
      double const n = share * static_cast<double>(limit.count());
      t.row({share, memprof::probability_interrupted(limit, rounded(n))});
    }
    t.next_curve();
  }
}

void accuracy(std::filesystem::path const& folder) {
  table t(folder, "accuracy", "limit\tearly\tlate");
  for (double const risk : risks) {
    over_decades(1e5, 1e10, 100, [&](double n) {
      words const limit{static_cast<std::int64_t>(n / 10'000) * 10'000};
      auto const l = static_cast<double>(limit.count());
      auto const safe = static_cast<double>(memprof::safe_allocation(limit, risk).count());
      auto const certain = static_cast<double>(memprof::certain_interruption(limit, risk).count());
      t.row({l, (l - safe) / safe, (certain - l) / l});
    });
    t.next_curve();
  }
}

void safe_limit(std::filesystem::path const& folder) {
  table t(folder, "safe_limit", "safe\tlimit");
  for (double const rate : {1e-2, 1e-3, 1e-4, 1e-5}) {
    over_decades(1e3, 1e9, 120, [&](double n) {
      words const limit = memprof::limit_for_safe(rounded(n), 1e-9, memprof::sampling_rate{rate});
      t.row({n, static_cast<double>(limit.count()) / n});
    });
    t.next_curve();
  }
}

void minimal_rate(std::filesystem::path const& folder) {
  table t(folder, "minimal_rate", "safe\trate");
  for (double const ratio : {10.0, 2.0, 1.25, 1.1}) {
    over_decades(1e3, 1e9, 60, [&](double n) {
      t.row({n, memprof::minimal_rate(rounded(n), ratio, 1e-9)});
    });
    t.next_curve();
  }
}

void stop(std::filesystem::path const& folder) {
  table t(folder, "stop", "limit\tsafe\tcertain");
  for (double const risk : {1e-9, 1e-50}) {
    over_decades(1e5, 1e9, 100, [&](double n) {
      words const limit{static_cast<std::int64_t>(n / 10'000) * 10'000};
      auto const l = static_cast<double>(limit.count());
      t.row({l, static_cast<double>(memprof::safe_allocation(limit, risk).count()) / l,
             static_cast<double>(memprof::certain_interruption(limit, risk).count()) / l});
    });
    t.next_curve();
  }
}

}  // namespace

void write_curves(std::filesystem::path const& folder) {
  interruption(folder);
  accuracy(folder);
  safe_limit(folder);
  minimal_rate(folder);
  stop(folder);
}

}  // namespace statistics
