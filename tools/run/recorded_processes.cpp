// SPDX-License-Identifier: MIT
#include "tools/run/recorded_processes.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "tools/run/process_status.hpp"

namespace memprof::tools {
namespace {

using recorder::live_blocks;

recorded_processes::list those_that_have_begun(recorded_processes::list of) {
  std::erase_if(of, [](live_blocks const* l) { return l->rate() == 0; });
  return of;
}

}  // namespace

std::unique_ptr<recorder::process_sink> recorded_processes::begin(pid_t process, bool visible) {
  auto made = std::make_unique<live_blocks>(process, with_sums_, visible);
  all_.push_back(made.get());
  return made;
}

recorded_processes::list recorded_processes::take_ended() {
  list ended;
  std::erase_if(all_, [&](live_blocks* l) {
    if (!l->ended()) return false;
    ended.push_back(l);
    return true;
  });
  return ended;
}

void recorded_processes::forget(list const& ended) {
  for (live_blocks* const l : ended) {
    if (l->sums() != nullptr) samples_of_ended_ += l->sums()->allocated();
    l->forget();
  }
}

std::uint64_t recorded_processes::samples() const {
  std::uint64_t sum = samples_of_ended_;
  for (live_blocks const* const l : all_) {
    if (l->sums() != nullptr) sum += l->sums()->allocated();
  }
  return sum;
}

recorder::heap_rows recorded_processes::rows() const {
  const list begun = those_that_have_begun(all_);
  if (begun.empty()) throw std::runtime_error("no process is recorded yet");
  return recorder::heap_rows(begun);
}

recorder::live_amount amount_of(recorded_processes::list const& of) {
  recorder::live_amount sum;
  for (live_blocks const* const l : of) {
    const recorder::live_amount a = l->amount();
    sum.bytes += a.bytes;
    sum.variance += a.variance;
  }
  return sum;
}

limit_report report_on_processes(recorded_processes::list const& of, bool with_stacks) {
  limit_report r;
  recorded_processes::list begun = those_that_have_begun(of);
  std::ranges::sort(begun, std::ranges::greater{},
                    [](live_blocks const* l) { return l->amount().bytes; });
  for (live_blocks const* const l : begun) {
    r.processes.push_back({.id = l->process(),
                           .program = l->program(),
                           .live = l->amount().bytes,
                           .resident = l->visible() ? resident_of(l->process()) : 0});
  }
  r.live = amount_of(begun);
  if (!begun.empty()) r.rate = begun.front()->rate();
  if (with_stacks && r.live.bytes > 0)
    r.snapshot = std::make_unique<recorder::live_snapshot>(begun);
  return r;
}

}  // namespace memprof::tools
