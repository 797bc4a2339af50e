// SPDX-License-Identifier: MIT
#include "analysis/difference.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "analysis/call_tree.hpp"
#include "analysis/difference_of_shares.hpp"
#include "analysis/sample_error.hpp"

namespace memprof::analysis {
namespace {

using counts = std::map<std::string, std::pair<std::uint64_t, std::uint64_t>>;

template <class Add>
void add_paths(usage const& u, measure value, Add&& add) {
  const call_tree tree(u, {.value = value});
  std::vector<std::string> paths(tree.nodes().size());
  for (call_tree::node_id i = 1; i < paths.size(); ++i) {
    std::string const& parent = paths[tree.nodes()[i].parent];
    paths[i] = parent.empty() ? tree.name(i) : parent + ";" + tree.name(i);
    add(paths[i], tree.nodes()[i].own);
  }
}

template <class Add>
void add_rows(usage const& u, difference_options const& o, Add&& add) {
  if (o.what == compared::paths) return add_paths(u, o.value, add);
  for (function_row const& r : function_table(u, o.by)) {
    add(r.name, amount_of(o.what == compared::self ? r.self : r.total, o.value).samples);
  }
}

/// Bytes that a sample stands for.
double scale_of(usage const& u, usage const& first, difference_options const& o) {
  const double bytes = u.info.bytes_of(1);
  const auto total_of = [&](usage const& x) {
    return x.info.bytes_of(static_cast<double>(amount_of(x.total, o.value).samples));
  };
  switch (o.normalize) {
    case normalization::none:
      return bytes;
    case normalization::total:
      return total_of(u) > 0 ? bytes * total_of(first) / total_of(u) : bytes;
    case normalization::duration:
      break;
  }
  return u.duration.count() > 0 ? bytes * 1e6 / static_cast<double>(u.duration.count()) : bytes;
}

/// What samples stand for on one side, and how they vary.
///
///  - `variance`: of a count, over its mean; 0 at rate 1.
///  - `whole`: all samples.
struct side {
  double scale, variance;
  std::uint64_t whole;

  /// Counts at a picked moment vary more than others: so many others vary as they do.
  [[nodiscard]] std::uint64_t poisson(std::uint64_t samples) const {
    if (variance <= 1) return samples;
    return static_cast<std::uint64_t>(std::llround(static_cast<double>(samples) / variance));
  }
  [[nodiscard]] double poisson_scale() const { return scale * std::max(1.0, variance); }
};

/// Two counts as amounts, and what of their difference may be chance.
class comparison {
 public:
  comparison(usage const& before, usage const& after, difference_options const& o)
      : before_(side_of(before, before, o)),
        after_(side_of(after, before, o)),
        shares_(o.normalize == normalization::total) {}

  [[nodiscard]] difference_row row(std::string const& name, std::uint64_t b,
                                   std::uint64_t a) const {
    difference_row r{.name = name, .samples_before = b, .samples_after = a};
    r.before = static_cast<double>(b) * before_.scale;
    r.after = static_cast<double>(a) * after_.scale;
    r.error = std::sqrt(variance_of(b, before_) + variance_of(a, after_));
    r.chance = chance(r);
    return r;
  }
  [[nodiscard]] side const& before() const noexcept { return before_; }
  [[nodiscard]] side const& after() const noexcept { return after_; }

 private:
  static side side_of(usage const& u, usage const& first, difference_options const& o) {
    return {scale_of(u, first, o), variance_of_sample(u.info.sample_rate, u.moment_of(o.value)),
            amount_of(u.total, o.value).samples};
  }
  /// Of an amount. The scale of shares comes from the same samples: all of them have no error.
  [[nodiscard]] double variance_of(std::uint64_t samples, side const& s) const {
    const auto n = static_cast<double>(samples);
    const double others = shares_ && s.whole > 0 ? 1 - n / static_cast<double>(s.whole) : 1;
    return n * others * s.variance * s.scale * s.scale;
  }
  [[nodiscard]] double chance(difference_row const& r) const {
    const std::uint64_t b = r.samples_before, a = r.samples_after;
    if (!(r.error > 0)) {
      if (!shares_) return r.before == r.after ? 1 : 0;
      const bool all = b == before_.whole && a == after_.whole;
      const bool same = static_cast<double>(b) * static_cast<double>(after_.whole) ==
                        static_cast<double>(a) * static_cast<double>(before_.whole);
      return all || same ? 1 : 0;
    }
    if (shares_) {
      return chance_of_shares(after_.poisson(a), after_.poisson(after_.whole), before_.poisson(b),
                              before_.poisson(before_.whole));
    }
    return chance_of_difference(after_.poisson(a), after_.poisson_scale(), before_.poisson(b),
                                before_.poisson_scale());
  }

  side before_, after_;
  bool shares_;
};

}  // namespace

difference compare(usage const& before, usage const& after, difference_options const& options) {
  const comparison both(before, after, options);
  counts all;
  add_rows(before, options, [&](std::string const& name, std::uint64_t samples) {
    if (samples > 0) all[name].first += samples;
  });
  add_rows(after, options, [&](std::string const& name, std::uint64_t samples) {
    if (samples > 0) all[name].second += samples;
  });
  difference d;
  d.scale_before = both.before().scale / before.info.bytes_of(1);
  d.scale_after = both.after().scale / after.info.bytes_of(1);
  for (auto const& [name, samples] : all) {
    d.rows.push_back(both.row(name, samples.first, samples.second));
    d.rows.back().significant = d.rows.back().chance < 0.05 / static_cast<double>(all.size());
  }
  std::stable_sort(d.rows.begin(), d.rows.end(), [](auto const& x, auto const& y) {
    return std::fabs(x.change()) > std::fabs(y.change());
  });
  d.total = both.row("total", both.before().whole, both.after().whole);
  d.total.significant = d.total.chance < 0.05;
  return d;
}

}  // namespace memprof::analysis
