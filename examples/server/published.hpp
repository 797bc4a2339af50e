// SPDX-License-Identifier: MIT
/// \file
/// What the service adds to the page of metrics.
#pragma once

#include <memprof/serve/respond.hpp>

#include "counters.hpp"
#include "task_registry.hpp"

namespace example::server {

/// Both must outlive the handle.
inline memprof::serve::published publish(request_counters const& requests,
                                         task_registry const& tasks) {
  return memprof::serve::publish([&](memprof::serve::metrics& page) {
    page.counter("evaluator_requests", "Requests to evaluate, by how they ended.");
    for (std::size_t i = 0; i < outcome_names.size(); ++i) {
      page.sample(requests.requests(static_cast<outcome>(i)), {{"outcome", outcome_names[i]}});
    }
    page.counter("evaluator_allocated_bytes", "Allocated by tasks that finished.")
        .sample(requests.allocated().count());
    page.counter("evaluator_pauses", "Requests paused at their soft memory budget.")
        .sample(requests.pauses());
    page.gauge("evaluator_running_tasks", "Tasks that run now.").sample(tasks.size());
  });
}

}  // namespace example::server
