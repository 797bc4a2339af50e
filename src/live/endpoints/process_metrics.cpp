// SPDX-License-Identifier: MIT
#include "endpoints/process_metrics.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "memprof/callstack.hpp"
#include "memprof/confidence.hpp"
#include "memprof/delivery.hpp"
#include "memprof/label.hpp"
#include "memprof/limits.hpp"
#include "memprof/overdue.hpp"
#include "memprof/process.hpp"
#include "memprof/version.hpp"

#include "endpoints/answer_work.hpp"
#include "endpoints/live_profile.hpp"
#include "endpoints/publications.hpp"

namespace memprof::endpoints {
namespace {

using serve::metrics;

constexpr char confidence[] = "0.95";

double interval_bytes(sampling_rate rate) {
  return rate.per_word() > 0 ? 8 / rate.per_word() : std::numeric_limits<double>::infinity();
}

void add_bounds(metrics& page, std::int64_t lower, std::int64_t upper) {
  page.sample(lower, {{"side", "lower"}, {"confidence", confidence}});
  page.sample(upper, {{"side", "upper"}, {"confidence", confidence}});
}

void add_sampling(metrics& page, process_counters const& c) {
  page.info("memprof_build", "The library in this process.")
      .sample(1, {{"version", linked_version()}});
  page.gauge("memprof_sampling_interval_bytes", "Mean bytes between two samples.");
  page.sample(interval_bytes(process_sampling_rate()), {{"of", "process"}});
  page.sample(interval_bytes(limit_sampling_rate()), {{"of", "limits"}});
  page.counter("memprof_samples", "Samples taken.").sample(c.samples);
  page.counter("memprof_sampled_blocks", "Blocks that got a sample.").sample(c.sampled_blocks);
  page.counter("memprof_dropped_blocks", "Sampled blocks that could not be tracked.")
      .sample(c.dropped_blocks);
  page.counter("memprof_aligned_blocks", "Sampled blocks that took a page of their own.")
      .sample(c.aligned_blocks);
  page.counter("memprof_promotions", "Sampled blocks that outlived their nursery.")
      .sample(c.promotions);
  page.gauge("memprof_tracked_blocks", "Sampled blocks that are live.").sample(c.tracked_blocks);
}

void add_memory(metrics& page) {
  const estimate live = live_memory(0.95);
  page.gauge("memprof_inuse_bytes", "Estimated live memory of the process.")
      .sample(live.value.count());
  page.gauge("memprof_inuse_bytes_bound", "The interval that holds the true live memory.");
  add_bounds(page, live.lower.count(), live.upper.count());
  page.gauge("memprof_major_inuse_bytes", "The part of it in large and in old blocks.")
      .sample(live_major_memory(0.95).value.count());
  if (const auto limit = global_memory_limit()) {
    page.gauge("memprof_global_limit_bytes", "The global memory limit.").sample(limit->count());
  }
}

double seconds(std::chrono::nanoseconds t) { return std::chrono::duration<double>(t).count(); }

void add_overdue(metrics& page) {
  const std::vector<overdue_task> pending = overdue_tasks();
  std::chrono::nanoseconds longest{};
  std::uint64_t overdue = 0;
  for (overdue_task const& t : pending) {
    longest = std::max(longest, t.late);
    overdue += t.late > std::chrono::seconds(1) ? 1 : 0;
  }
  page.gauge("memprof_pending_tasks", "Tasks that go on although their limit was hit.")
      .sample(std::uint64_t{pending.size()});
  page.gauge("memprof_overdue_tasks", "Those that have for more than a second.").sample(overdue);
  page.gauge("memprof_pending_task_longest_seconds", "For how long the first of them has.")
      .sample(seconds(longest));
}

/// What the library's own work takes, where it can be counted.
void add_own_work(metrics& page, process_counters const& c) {
  page.counter("memprof_preflight_seconds",
               "Time taken to find out whether an interrupt may be raised.")
      .sample(seconds(c.preflight_time));
  const callstack_counters stacks = counters_of_callstacks();
  page.counter("memprof_callstacks", "Call stacks taken.").sample(stacks.stacks);
  page.counter("memprof_incomplete_callstacks", "Those that ended too early.")
      .sample(stacks.incomplete);
  page.counter("memprof_callstack_frames", "Frames of call stacks, by how they were found.");
  page.sample(stacks.frames_by_frame_pointer, {{"by", "frame pointer"}});
  page.sample(stacks.frames_by_tables, {{"by", "unwind tables"}});
  page.counter("memprof_serve_requests", "Answers of memprof::serve, this one left out.");
  for (const answer_kind kind : all_answer_kinds) {
    page.sample(work_of(kind).answers, {{"answer", to_string(kind)}});
  }
  page.counter("memprof_serve_cpu_seconds", "Processor time that they took.");
  for (const answer_kind kind : all_answer_kinds) {
    page.sample(seconds(work_of(kind).processor_time), {{"answer", to_string(kind)}});
  }
}

void add_hits(metrics& page, process_counters const& c, std::vector<traced_hit> const& traced) {
  page.counter("memprof_limit_hits", "Limits that were hit, by limit.");
  for (const limit_kind kind : all_limit_kinds) {
    page.sample(c.hits[kind], {{"limit", to_string(kind)}});
    const auto last = std::ranges::find(traced, kind, &traced_hit::kind);
    if (last != traced.end()) page.exemplar({{"trace_id", last->trace_id}}, 1, last->when);
  }
}

void add_limits(metrics& page, process_counters const& c, std::vector<traced_hit> const& traced) {
  page.counter("memprof_limit_scopes", "Limit functions entered; each run of a budget is one.")
      .sample(c.scopes);
  add_hits(page, c, traced);
  page.gauge("memprof_tokens", "Tokens that exist.").sample(c.tokens);
  page.counter("memprof_interrupted_tasks", "Tasks that a limit ended, by limit.");
  for (const limit_kind kind : all_limit_kinds) {
    page.sample(c.interrupted_tasks[kind], {{"limit", to_string(kind)}});
  }
  page.counter("memprof_limit_interrupts",
               "Interrupts delivered, by limit; a task that swallows gets several.");
  for (const limit_kind kind : all_limit_kinds) {
    page.sample(c.interrupts[kind], {{"limit", to_string(kind)}});
  }
  page.counter("memprof_limit_deferrals",
               "Interrupts that were due where they could not be raised.")
      .sample(c.deferrals);
  page.counter("memprof_limit_deferrals_by_reason", "The same, by the reason.");
  // The commonest one has a series before its first deferral.
  constexpr std::string_view commonest = "under a noexcept function or destructor";
  bool has_commonest = false;
  for (deferral_count const& d : deferrals_by_reason()) {
    page.sample(d.count, {{"reason", d.reason}});
    has_commonest |= d.reason == commonest;
  }
  if (!has_commonest) page.sample(0, {{"reason", commonest}});
  page.counter("memprof_callback_failures", "Soft-limit callbacks that threw.")
      .sample(c.callback_failures);
}

/// Only while stacks are collected: their rate does not change.
void add_collected(metrics& page) {
  const auto collected = samples_collected();
  if (!collected) return;
  const sampling_rate rate{collected->per_word};
  const words_interval i = allocated_interval(collected->allocated, 0.95, rate);
  page.counter("memprof_allocated_bytes", "Estimated allocations since stacks are collected.")
      .sample(static_cast<double>(collected->allocated) * interval_bytes(rate));
  page.gauge("memprof_allocated_bytes_bound", "The interval that holds the true allocations.");
  add_bounds(page, bytes(i.lower).count(), bytes(i.upper).count());
  page.counter("memprof_profile_samples", "Samples in the profile.").sample(collected->allocated);
  page.counter("memprof_labels_left_out", "Labels beyond 1023 different sets.")
      .sample(labels_left_out());
  page.counter("memprof_profile_samples_without_stack", "Those whose stacks found no room.")
      .sample(collected->without_stack);
}

}  // namespace

void add_process(metrics& page) {
  // First, so that the counters have counted them.
  const std::vector<traced_hit> traced = traced_hits();
  const process_counters c = counters();
  add_sampling(page, c);
  add_memory(page);
  add_limits(page, c, traced);
  add_overdue(page);
  add_own_work(page, c);
  add_collected(page);
  page.counter("memprof_failed_families", "Families of the program left out, for an exception.")
      .sample(std::uint64_t{failed_families()});
}

}  // namespace memprof::endpoints
