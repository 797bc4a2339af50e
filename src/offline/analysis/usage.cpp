// SPDX-License-Identifier: MIT
#include "analysis/usage.hpp"

#include <optional>
#include <utility>

#include "analysis/exit_mark.hpp"
#include "analysis/trace_source.hpp"
#include "analysis/usage_builder.hpp"

namespace memprof::analysis {

usage read_usage(trace_source& source, usage_options const& options) {
  std::shared_ptr<thread_groups const> threads;
  if (options.by_thread || !options.chosen.threads.empty()) {
    source.several();
    threads = std::make_shared<thread_groups>(read_thread_groups(source));
    if (threads->all().size() == 1 && threads->all().front().number == 0) {
      throw no_threads(source.name() + ": the trace does not say which thread allocated");
    }
  }
  std::optional<block_choice> fate;
  if (options.chosen.needs_fate()) {
    source.several();
    fate = select_by_fate(source, options.chosen);
  }
  reading events = source.open();
  usage_builder builder(events.info(), options, std::move(fate), std::move(threads));
  for (trace::event e; events.next(e);) builder.add(e, events.reader());
  usage u = builder.finish();
  for (trace::interrupt i : events.reader().interrupts()) {
    i.stack = {};
    u.interrupts.push_back(i);
  }
  u.notes = notes_of(events.reader());
  exit_mark mark;
  mark.look(events.reader());  // it may stand behind all events
  u.exit_began = mark.at();
  return u;
}

}  // namespace memprof::analysis
