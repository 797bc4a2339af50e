// SPDX-License-Identifier: MIT
#include "metrics.hpp"

#include <sstream>
#include <string_view>

#include <memprof/process.hpp>

namespace example::server {
namespace {

class page {
 public:
  page() { out_.precision(17); }

  page& family(std::string_view name, std::string_view type, std::string_view help) {
    name_ = name;
    out_ << "# HELP " << name << ' ' << help << "\n# TYPE " << name << ' ' << type << '\n';
    return *this;
  }
  template <class Number>
  page& sample(Number value, std::string_view labels = {}) {
    out_ << name_;
    if (!labels.empty()) out_ << '{' << labels << '}';
    out_ << ' ' << value << '\n';
    return *this;
  }
  [[nodiscard]] std::string text() const { return out_.str(); }

 private:
  std::ostringstream out_;
  std::string_view name_;
};

std::string label(std::string_view name, std::string_view value) {
  return std::string(name) + "=\"" + std::string(value) + '"';
}

void add_process(page& p) {
  auto const counters = memprof::counters();
  auto const live = memprof::live_memory(0.95);

  p.family("memprof_sampling_interval_bytes", "gauge", "Mean bytes between two samples.")
      .sample(memprof::bytes(memprof::process_sampling_rate().mean_interval()).count(),
              label("of", "process"))
      .sample(memprof::bytes(memprof::limit_sampling_rate().mean_interval()).count(),
              label("of", "limits"));
  p.family("memprof_samples_total", "counter", "Samples taken.").sample(counters.samples);
  p.family("memprof_dropped_samples_total", "counter", "Sampled blocks that could not be tracked.")
      .sample(counters.dropped_blocks);
  p.family("memprof_inuse_bytes", "gauge", "Estimated live memory of the process.")
      .sample(live.value.count());
  p.family("memprof_inuse_bytes_bound", "gauge", "The interval that holds the true live memory.")
      .sample(live.lower.count(), label("side", "lower") + ',' + label("confidence", "0.95"))
      .sample(live.upper.count(), label("side", "upper") + ',' + label("confidence", "0.95"));
  p.family("memprof_tracked_blocks", "gauge", "Sampled blocks that are live.")
      .sample(counters.tracked_blocks);

  p.family("memprof_limit_interrupts_total", "counter", "Interrupts raised, by limit.");
  for (auto const kind : memprof::all_limit_kinds) {
    p.sample(counters.interrupts[kind], label("limit", to_string(kind)));
  }
  p.family("memprof_interrupted_tasks_total", "counter", "Tasks that a limit ended, by limit.");
  for (auto const kind : memprof::all_limit_kinds) {
    p.sample(counters.interrupted_tasks[kind], label("limit", to_string(kind)));
  }
  p.family("memprof_limit_deferrals_total", "counter",
           "Interrupts that were due where they could not be raised.")
      .sample(counters.deferrals);
}

void add_requests(page& p, request_counters const& requests, std::size_t running_tasks) {
  p.family("evaluator_requests_total", "counter", "Requests to evaluate, by how they ended.");
  for (std::size_t i = 0; i < outcome_names.size(); ++i) {
    p.sample(requests.requests(static_cast<outcome>(i)), label("outcome", outcome_names[i]));
  }
  p.family("evaluator_allocated_bytes_total", "counter", "Allocated by tasks that finished.")
      .sample(requests.allocated().count());
  p.family("evaluator_pauses_total", "counter", "Requests paused at their soft memory budget.")
      .sample(requests.pauses());
  p.family("evaluator_running_tasks", "gauge", "Tasks that run now.").sample(running_tasks);
}

}  // namespace

std::string metrics_page(request_counters const& requests, std::size_t running_tasks) {
  page p;
  add_process(p);
  add_requests(p, requests, running_tasks);
  return p.text();
}

}  // namespace example::server
