// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <stdexcept>

#include "export/export.hpp"
#include "tools/stats_report.hpp"

namespace memprof::tools {
namespace {

class csv {
 public:
  explicit csv(std::string_view head) : text_(std::string(head) + "\r\n") {}
  csv& operator<<(double v) { return cell(fmt::format("{:.15g}", v)); }
  csv& operator<<(std::uint64_t v) { return cell(fmt::format("{}", v)); }
  csv& operator<<(std::string const& v) { return cell(exports::csv_field(v)); }
  csv& operator<<(analysis::estimated const& e) { return *this << e.value << e.lower << e.upper; }
  void end() {
    text_ += "\r\n";
    begun_ = false;
  }
  [[nodiscard]] std::string const& text() const { return text_; }

 private:
  csv& cell(std::string const& t) {
    if (begun_) text_ += ',';
    begun_ = true;
    text_ += t;
    return *this;
  }
  std::string text_;
  bool begun_ = false;
};

std::string series_csv(stats_subject const& s) {
  csv t(
      "time_us,until_us,allocated_bytes,allocated_lower,allocated_upper,promoted_bytes,"
      "freed_bytes,live_bytes,live_lower,live_upper");
  auto const& series = s.numbers.series;
  std::uint64_t at = 0;
  for (auto const& step : series.steps) {
    const auto until = at + static_cast<std::uint64_t>(series.step.count());
    t << at << until << analysis::estimated_bytes(s.info, step.allocated)
      << s.info.bytes_of(static_cast<double>(step.promoted))
      << s.info.bytes_of(static_cast<double>(step.freed))
      << analysis::estimated_bytes(s.info, step.live);
    t.end();
    at = until;
  }
  return t.text();
}

std::string histogram_csv(stats_subject const& s, analysis::log_histogram const& h,
                          std::string const& unit) {
  csv t(fmt::format("from_{0},below_{0},samples,blocks_sampled,bytes", unit));
  for (auto const& b : h.bins()) {
    t << b.lower << b.upper << b.weight << b.count << s.info.bytes_of(b.weight);
    t.end();
  }
  return t.text();
}

std::string survival_csv(stats_subject const& s) {
  csv t("age_us,share,lower,upper,samples_at_risk");
  for (auto const& p : s.numbers.lifetimes.curve()) {
    t << p.age << p.share << p.lower << p.upper << p.at_risk;
    t.end();
  }
  return t.text();
}

std::string points_csv(stats_subject const& s) {
  csv t("allocated_us,lifetime_us,freed");
  for (auto const& p : s.numbers.points) {
    t << static_cast<std::uint64_t>(p.born.count())
      << static_cast<std::uint64_t>(std::max<std::int64_t>(0, p.lifetime.count()))
      << std::uint64_t{p.died ? 1U : 0U};
    t.end();
  }
  return t.text();
}

std::string counts_csv(stats_subject const& s) {
  csv t("size_words,major_allocations");
  for (auto const& [size, count] : s.numbers.notebook.count_by_size) {
    t << size << count;
    t.end();
  }
  return t.text();
}

std::string sites_csv(stats_subject const& s) {
  csv t(
      "function,position,blocks_sampled,samples,allocated_bytes,allocated_lower,allocated_upper,"
      "in_use_at_peak_bytes,in_use_at_end_bytes,promoted_samples,mean_lifetime_us,samples_to_4w,"
      "samples_to_16w,samples_to_256w,samples_to_10000w,samples_larger");
  for (auto const& r : s.sites) {
    t << r.function << r.position << r.sampled << r.samples
      << analysis::estimated_bytes(s.info, r.samples)
      << s.info.bytes_of(static_cast<double>(r.peak_samples))
      << s.info.bytes_of(static_cast<double>(r.live_samples)) << r.promoted;
    r.died > 0 ? t << r.died_lifetime / static_cast<double>(r.died) : t << std::string();
    for (const std::uint64_t n : r.by_size_class) t << n;
    t.end();
  }
  return t.text();
}

}  // namespace

std::vector<std::string> const& stats_table_names() {
  static const std::vector<std::string> names{"series", "sizes",    "counts-by-size", "lifetimes",
                                              "points", "survival", "sites"};
  return names;
}

std::string stats_csv(stats_subject const& s, std::string_view table) {
  if (table == "series") return series_csv(s);
  if (table == "sizes") return histogram_csv(s, s.numbers.sizes, "words");
  if (table == "counts-by-size") return counts_csv(s);
  if (table == "lifetimes") return histogram_csv(s, s.numbers.lifetimes.deaths(), "us");
  if (table == "points") return points_csv(s);
  if (table == "survival") return survival_csv(s);
  if (table == "sites") return sites_csv(s);
  throw std::invalid_argument(fmt::format("--csv: there is no table '{}'", table));
}

}  // namespace memprof::tools
