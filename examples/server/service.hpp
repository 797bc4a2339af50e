// SPDX-License-Identifier: MIT
/// \file
/// The service behind the HTTP server: evaluates expressions under limits.
#pragma once

#include <httplib.h>

#include <memprof/memprof.hpp>

#include "counters.hpp"
#include "options.hpp"
#include "published.hpp"
#include "reserve.hpp"
#include "task_registry.hpp"

namespace example::server {

/// threads     the handlers run on the server's threads, at the same time.
class service {
 public:
  /// shutdown    ends all running tasks when it is set.
  service(options const& o, memprof::token const& shutdown);

  /// Registers the handlers. The service must outlive the server.
  void attach_to(httplib::Server& server);

 private:
  void evaluate(httplib::Request const& request, httplib::Response& response);
  void list(httplib::Response& response) const;
  void cancel(httplib::Request const& request, httplib::Response& response);

  /// f under the limits of a request: interrupted by them, or first paused.
  template <class F>
  auto run(memprof::limits const& limits, F&& f);

  task_limits const most_;
  memprof::bytes const soft_memory_;
  memory_reserve reserve_;
  task_registry tasks_;
  request_counters counters_;
  memprof::serve::published const published_;  ///< on /metrics
};

}  // namespace example::server
