// SPDX-License-Identifier: MIT
#include "tools/recorded_summary.hpp"

#include <array>
#include <cmath>
#include <fmt/format.h>
#include <unordered_map>

#include "memprof/trace/reader.hpp"

#include "analysis/analysis.hpp"
#include "tools/amount.hpp"

namespace memprof::tools {
namespace {

/// Fewer samples in all have an interval of 95 % of +-20 % and more.
constexpr std::uint64_t few = 100;
/// +-9 %.
constexpr double enough = 500;
/// From no sample: the rate that shows a program which allocates a thousandth of what is seen now.
constexpr double from_none = 1000;

/// The next 1, 2 or 5 times a power of ten; at most 1.
double round_rate(double rate) {
  const double power = std::pow(10.0, std::floor(std::log10(rate)));
  for (const double step : {1.0, 2.0, 5.0}) {
    if (rate <= step * power * (1 + 1e-9)) return std::min(1.0, step * power);
  }
  return std::min(1.0, 10 * power);
}

std::string percent(trace::info const& info, std::uint64_t samples) {
  return analysis::error_text(analysis::estimated_bytes(info, samples).relative_error());
}

std::string rate_text(double rate) {
  const int exponent = static_cast<int>(std::floor(std::log10(rate) + 1e-9));
  const double digit = rate / std::pow(10.0, exponent);
  return exponent >= -2 ? fmt::format("{:g}", rate) : fmt::format("{:.0f}e{}", digit, exponent);
}

}  // namespace

recorded_summary summarize(std::filesystem::path const& file) {
  recorded_summary s;
  trace::reader reader(file, {.backtraces = false, .recover = true});
  s.info = reader.info();
  std::unordered_map<trace::object_id, std::uint64_t> live;
  for (trace::event e; reader.next(e); ++s.events) {
    s.samples += e.n_samples;
    if (e.kind == trace::event_kind::allocation) {
      live[e.object] = e.n_samples;
      s.in_use += e.n_samples;
    } else if (e.kind == trace::event_kind::collection) {
      if (const auto block = live.find(e.object); block != live.end()) {
        s.in_use -= block->second;
        live.erase(block);
      }
    }
  }
  s.file_size = std::filesystem::file_size(file);
  return s;
}

std::string summary_text(recorded_summary const& s) {
  return fmt::format("{} event{}, {} sample{}, {}", s.events, s.events == 1 ? "" : "s", s.samples,
                     s.samples == 1 ? "" : "s",
                     readable(bytes{static_cast<std::int64_t>(s.file_size)}, false));
}

std::string better_rate(recorded_summary const& s) {
  if (s.samples >= few || s.info.sample_rate >= 1) return {};
  if (s.samples == 0) {
    const double rate = round_rate(s.info.sample_rate * from_none);
    return fmt::format(
        "no block was sampled: it allocated less than {}, with 95 %; --rate {} shows more",
        analysis::bytes_text(analysis::estimated_bytes(s.info, 0).upper), rate_text(rate));
  }
  const auto samples = static_cast<double>(s.samples);
  const double rate = round_rate(s.info.sample_rate * enough / samples);
  std::string text = fmt::format("{} sample{} ({})", s.samples, s.samples == 1 ? "" : "s",
                                 percent(s.info, s.samples));
  if (s.in_use != 0 && s.in_use != s.samples) {
    text += fmt::format(", {} of them in use at the end ({})", s.in_use, percent(s.info, s.in_use));
  }
  return fmt::format("{}: --rate {} would take some {}", text, rate_text(rate),
                     analysis::count_text(std::round(samples * rate / s.info.sample_rate)));
}

}  // namespace memprof::tools
