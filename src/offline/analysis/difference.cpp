// SPDX-License-Identifier: MIT
#include "analysis/difference.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "analysis/call_tree.hpp"
#include "analysis/sample_error.hpp"

namespace memprof::analysis {
namespace {

using counts = std::map<std::string, std::pair<std::uint64_t, std::uint64_t>>;

template <class Add>
void add_paths(usage const& u, measure value, Add&& add) {
  const call_tree tree(u);
  std::vector<std::string> paths(tree.nodes().size());
  for (call_tree::node_id i = 1; i < paths.size(); ++i) {
    std::string const& parent = paths[tree.nodes()[i].parent];
    paths[i] = parent.empty() ? tree.name(i) : parent + ";" + tree.name(i);
    add(paths[i], amount_of(tree.nodes()[i].own, value).samples);
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

double error_of(usage const& before, usage const& after, double scale_b, double scale_a, double nb,
                double na) {
  // Binomial: at rate 1 there is no error.
  return std::sqrt(nb * (1 - before.info.sample_rate) * scale_b * scale_b +
                   na * (1 - after.info.sample_rate) * scale_a * scale_a);
}

}  // namespace

std::pair<double, double> scales_of(usage const& before, usage const& after,
                                    difference_options const& options) {
  return {scale_of(before, before, options), scale_of(after, before, options)};
}

double chance_of(usage const& before, usage const& after, double scale_b, double scale_a,
                 std::uint64_t b, std::uint64_t a) {
  const auto nb = static_cast<double>(b);
  const auto na = static_cast<double>(a);
  if (error_of(before, after, scale_b, scale_a, nb, na) > 0) {
    return chance_of_difference(a, scale_a, b, scale_b);
  }
  return nb * scale_b == na * scale_a ? 1 : 0;
}

difference compare(usage const& before, usage const& after, difference_options const& options) {
  const auto scales = scales_of(before, after, options);
  const double scale_b = scales.first;
  const double scale_a = scales.second;
  const auto row_of = [&](std::string const& name, std::uint64_t b, std::uint64_t a) {
    difference_row r{.name = name, .samples_before = b, .samples_after = a};
    const auto nb = static_cast<double>(b);
    const auto na = static_cast<double>(a);
    r.before = nb * scale_b;
    r.after = na * scale_a;
    r.error = error_of(before, after, scale_b, scale_a, nb, na);
    r.chance = chance_of(before, after, scale_b, scale_a, b, a);
    return r;
  };
  counts all;
  add_rows(before, options, [&](std::string const& name, std::uint64_t samples) {
    if (samples > 0) all[name].first += samples;
  });
  add_rows(after, options, [&](std::string const& name, std::uint64_t samples) {
    if (samples > 0) all[name].second += samples;
  });
  difference d;
  d.scale_before = scale_b / before.info.bytes_of(1);
  d.scale_after = scale_a / after.info.bytes_of(1);
  for (auto const& [name, samples] : all) {
    d.rows.push_back(row_of(name, samples.first, samples.second));
    d.rows.back().significant = d.rows.back().chance < 0.05 / static_cast<double>(all.size());
  }
  std::stable_sort(d.rows.begin(), d.rows.end(), [](auto const& x, auto const& y) {
    return std::fabs(x.change()) > std::fabs(y.change());
  });
  d.total = row_of("total", amount_of(before.total, options.value).samples,
                   amount_of(after.total, options.value).samples);
  d.total.significant = d.total.chance < 0.05;
  return d;
}

}  // namespace memprof::analysis
