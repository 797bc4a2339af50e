// SPDX-License-Identifier: MIT
// What memprof/memprof.h says and asks of the process.
#include "memprof/process.hpp"

#include <string>

#include "memprof/tracing.hpp"
#include "memprof/version.hpp"

#include "c_interface/convert.hpp"

using namespace memprof;
namespace c = memprof::c_interface;

char const* memprof_version() { return linked_version().data(); }  // a literal

bool memprof_is_active() { return is_active(); }

int memprof_set_global_memory_limit(std::int64_t limit) {
  return c::guarded(nullptr, [&] {
    set_global_memory_limit(limit == -1 ? std::nullopt : std::optional{bytes{limit}});
    return MEMPROF_OK;
  });
}

int memprof_live_memory(double confidence, memprof_estimate* live) {
  return c::guarded(nullptr, [&] {
    c::write(*live, c::estimate_of(live_memory(confidence)));
    return MEMPROF_OK;
  });
}

void memprof_read_counters(memprof_counters* to) {
  const process_counters now = counters();
  memprof_counters result{};
  result.samples = now.samples;
  result.tracked_blocks = now.tracked_blocks;
  result.scopes = now.scopes;
  for (const limit_kind kind : all_limit_kinds) {
    const auto i = static_cast<std::size_t>(kind);
    result.hits[i] = now.hits[kind];
    result.interrupts[i] = now.interrupts[kind];
    result.interrupted_tasks[i] = now.interrupted_tasks[kind];
  }
  result.deferrals = now.deferrals;
  c::write(*to, result);
}

int memprof_start_tracing(char const* file, double per_word, memprof_error* error) {
  return c::guarded(error, [&] {
    start_tracing(file, {.rate = sampling_rate{per_word}, .context = {}, .callstack_size = {}});
    return c::report({}, error);
  });
}

void memprof_stop_tracing() { stop_tracing(); }
