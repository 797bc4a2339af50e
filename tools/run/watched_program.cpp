// SPDX-License-Identifier: MIT
#include "tools/run/watched_program.hpp"

#include <optional>
#include <utility>

#include "memprof/confidence.hpp"
#include "memprof/version.hpp"

#include "tools/run/heap_pprof.hpp"

namespace memprof::tools {
namespace {

constexpr std::size_t most_process_samples = 16;

class watched_profile final : public answers::heap_profile {
 public:
  watched_profile(recorder::heap_rows rows, std::shared_ptr<symbolize::resolver> names,
                  std::function<limit_report()> report)
      : rows_(std::move(rows)), names_(std::move(names)), report_(std::move(report)) {}

  [[nodiscard]] std::string pprof(char const* default_type) const override {
    return pprof_of(rows_, names_, default_type);
  }
  [[nodiscard]] std::string text() const override { return report_text(report_(), names_); }
  [[nodiscard]] std::unique_ptr<heap_profile> change_since(
      heap_profile const& before) const override {
    return made(rows_.change_since(rows_of(before)));
  }
  [[nodiscard]] std::unique_ptr<heap_profile> allocated_since(
      heap_profile const& before) const override {
    return made(rows_.allocated_since(rows_of(before)));
  }

 private:
  static recorder::heap_rows const& rows_of(heap_profile const& p) {
    return static_cast<watched_profile const&>(p).rows_;
  }
  [[nodiscard]] std::unique_ptr<heap_profile> made(recorder::heap_rows rows) const {
    return std::make_unique<watched_profile>(std::move(rows), names_, report_);
  }

  recorder::heap_rows rows_;
  std::shared_ptr<symbolize::resolver> names_;
  std::function<limit_report()> report_;
};

void add_processes(serve::metrics& page, limit_report const& r) {
  page.gauge("memprof_run_processes", "Processes that are recorded now.")
      .sample(std::uint64_t{r.processes.size()});
  page.gauge("memprof_run_process_inuse_bytes", "Live memory of the largest processes.");
  double resident = 0;
  std::size_t shown = 0;
  for (limit_report::process const& p : r.processes) {
    resident += static_cast<double>(p.resident);
    if (shown++ == most_process_samples) continue;
    page.sample(p.live, {{"process", std::to_string(p.id)}, {"program", p.program}});
  }
  page.gauge("memprof_run_resident_bytes", "What the processes have in memory.").sample(resident);
}

}  // namespace

watched_program::watched_program(limit_watch& watch, std::vector<std::string> const& command,
                                 std::shared_ptr<symbolize::resolver> names)
    : watch_(watch), jobs_(watch.jobs()), names_(std::move(names)) {
  for (std::string const& word : command) {
    if (!command_line_.empty()) command_line_ += '\0';
    command_line_ += word;
  }
}

std::unique_ptr<answers::heap_profile> watched_program::take_profile() {
  std::optional<recorder::heap_rows> rows;
  jobs_->run([&] { rows.emplace(watch_.rows()); });
  return std::make_unique<watched_profile>(*std::move(rows), names_, [&w = watch_, jobs = jobs_] {
    limit_report r;
    jobs->run([&] { r = w.state("asked for over HTTP"); });
    return r;
  });
}

void watched_program::add_metrics(serve::metrics& page) {
  watched_counts c;
  jobs_->run([&] { c = watch_.counts(); });
  page.info("memprof_build", "The command that watches this program.")
      .sample(1, {{"version", linked_version()}});
  page.gauge("memprof_sampling_interval_bytes", "Mean bytes between two samples.")
      .sample(8 / c.rate, {{"of", "process"}});
  page.counter("memprof_samples", "Samples taken.").sample(c.samples);
  recorder::live_amount const& live = c.now.live;
  page.gauge("memprof_inuse_bytes", "Estimated live memory of the processes.").sample(live.bytes);
  const real_interval i =
      memprof::detail::statistics::live_interval(live.bytes, live.variance, 8 / c.rate, 0.95);
  page.gauge("memprof_inuse_bytes_bound", "The interval that holds the true live memory.");
  page.sample(i.lower, {{"side", "lower"}, {"confidence", "0.95"}});
  page.sample(i.upper, {{"side", "upper"}, {"confidence", "0.95"}});
  page.counter("memprof_allocated_bytes", "Estimated allocations, ended processes included.")
      .sample(8 / c.rate * static_cast<double>(c.samples));
  add_processes(page, c.now);
  page.gauge("memprof_run_limit_bytes", "The limits of memprof run.");
  page.sample(c.soft, {{"level", "soft"}}).sample(c.hard, {{"level", "hard"}});
  page.counter("memprof_run_reports", "Reports written.").sample(c.reports);
  page.counter("memprof_run_refused_requests", "Requests refused under --on-limit refuse.")
      .sample(c.refused);
}

}  // namespace memprof::tools
