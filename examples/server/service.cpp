// SPDX-License-Identifier: MIT
#include "service.hpp"

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

#include <memprof/serve/adaptors.hpp>

#include "common/amount.hpp"
#include "evaluate.hpp"
#if EXAMPLE_CAN_PAUSE
#include "pausing.hpp"
#endif

namespace example::server {
namespace {

using nlohmann::ordered_json;

constexpr char help[] =
    "POST   /evaluate    body: an expression, such as 2^100 or sum(i = 1..100, i^3) or 30!\n"
    "                    ?allocations=8MiB&memory=64KiB&deadline=500: limits below the server's\n"
    "GET    /tasks       the tasks that run now\n"
    "DELETE /tasks/ID    cancels one; ?reason=...\n"
    "GET    /metrics     counters for Prometheus\n"
    "GET    /debug/pprof/  profiles for pprof, Parca and Pyroscope\n";

void answer_with(httplib::Response& response, int status, ordered_json const& body) {
  response.status = status;
  // What a client sent may be no UTF-8: replaced, not refused.
  response.set_content(body.dump(-1, ' ', false, ordered_json::error_handler_t::replace) + "\n",
                       "application/json");
}

/// The limits of one request: what it asks for, but not more than `most`.
/// throws      std::invalid_argument.
memprof::limits requested_limits(httplib::Request const& request, task_limits const& most) {
  auto const limited = [&](char const* name, auto parse, auto upper) {
    if (!request.has_param(name)) return upper;
    return std::min<decltype(upper)>(upper, parse(request.get_param_value(name)));
  };
  return {.allocations = limited("allocations", parse_amount, most.allocations),
          .memory = limited("memory", parse_amount, most.memory),
          .global_memory = true,
          .time = limited("deadline", parse_milliseconds, most.deadline)};
}

/// Of a header traceparent, as W3C has it: 00-TRACE-PARENT-01. Empty without one.
std::string trace_id_of(httplib::Request const& request) {
  std::string const text = request.get_header_value("traceparent");
  return text.size() >= 55 && text[2] == '-' && text[35] == '-' ? text.substr(3, 32) : "";
}

int status_of(memprof::limit_kind kind) {
  switch (kind) {
    case memprof::limit_kind::deadline:
      return 408;
    case memprof::limit_kind::token:
      return 409;
    case memprof::limit_kind::global_memory:
      return 503;  // not the request's fault alone: it may be sent again
    default:
      return 422;
  }
}

ordered_json to_json(std::uint64_t id, memprof::interrupted const& error) {
  return {{"id", id},
          {"outcome", "interrupted"},
          {"limit", to_string(error.kind())},
          {"message", error.message()},
          {"reason", error.reason() ? ordered_json(error.reason()) : ordered_json()},
          {"limit_bytes", error.limit().count()},
          {"measured_bytes", error.measured().count()},
          {"deliveries", error.deliveries()},
          {"deferrals", error.deferrals()}};
}

ordered_json to_json(std::uint64_t id, memprof::counted<answer> const& result) {
  answer const& a = result.value;
  return {{"id", id},
          {"outcome", "ok"},
          {"value", a.decimal.empty() ? ordered_json() : ordered_json(a.decimal)},
          {"bits", a.bits},
          {"residue", a.residue},
          {"allocated_bytes", result.allocated.count()}};
}

}  // namespace

service::service(options const& o, memprof::token const& shutdown)
    : most_(o.limits),
      soft_memory_(o.soft_memory),
      reserve_(o.reserve),
      tasks_(o.tasks, shutdown),
      published_(publish(counters_, tasks_)) {}

template <class F>
auto service::run(memprof::limits const& limits, F&& f) {
#if EXAMPLE_CAN_PAUSE
  if (soft_memory_ > memprof::bytes{}) {
    return run_pausing(limits, soft_memory_, reserve_, counters_, std::forward<F>(f));
  }
#endif
  return memprof::run_limited(limits, std::forward<F>(f));
}

void service::attach_to(httplib::Server& server) {
  using request = httplib::Request;
  using response = httplib::Response;
  server.Get("/", [](request const&, response& r) { r.set_content(help, "text/plain"); });
  server.Post("/evaluate", [this](request const& q, response& r) { evaluate(q, r); });
  server.Get("/tasks", [this](request const&, response& r) { list(r); });
  server.Delete(R"(/tasks/(\d{1,18}))", [this](request const& q, response& r) { cancel(q, r); });
  memprof::serve::attach_to_httplib(server);
}

void service::evaluate(httplib::Request const& request, httplib::Response& response) try {
  memprof::label const route{"route", "/evaluate"};  // for profiles
  // For the exemplars of /metrics: which request hit a limit.
  memprof::label const trace{"trace_id", trace_id_of(request)};
  memprof::limits limits = requested_limits(request, most_);
  auto const task = tasks_.add(request.body);
  if (!task) {
    counters_.add(outcome::busy);
    response.set_header("Retry-After", "1");
    return answer_with(response, 503, {{"outcome", "busy"}});
  }
  limits.token = task->token();

  // Parsing is the client's work as much as computing is: all of it under the limits. Only the
  // finished answer leaves the task; the tree and the numbers die inside it.
  auto const result = run(limits, [&] { return answer_to(request.body); });
  if (result) {
    counters_.add(outcome::ok, result->allocated);
    answer_with(response, 200, to_json(task->id(), *result));
  } else {
    counters_.add(outcome_of(result.error().kind()));
    answer_with(response, status_of(result.error().kind()), to_json(task->id(), result.error()));
  }
} catch (bad_expression const& error) {
  counters_.add(outcome::invalid);
  answer_with(response, 400, {{"outcome", "invalid"}, {"message", error.what()}});
} catch (std::invalid_argument const& error) {
  counters_.add(outcome::invalid);
  answer_with(response, 400, {{"outcome", "invalid"}, {"message", error.what()}});
}

void service::list(httplib::Response& response) const {
  auto body = ordered_json::array();
  for (task_info const& t : tasks_.list()) {
    body.push_back(
        {{"id", t.id},
         {"expression", t.expression},
         {"age_ms", std::chrono::duration_cast<std::chrono::milliseconds>(t.age).count()},
         {"cancelled", t.cancelled}});
  }
  answer_with(response, 200, body);
}

void service::cancel(httplib::Request const& request, httplib::Response& response) {
  std::string const text = request.matches[1];
  std::uint64_t id = 0;
  std::from_chars(text.data(), text.data() + text.size(), id);  // the route admits digits only
  std::string const reason = request.get_param_value("reason");
  bool const found = tasks_.cancel(id, reason.empty() ? "cancelled by a client" : reason);
  answer_with(response, found ? 202 : 404,
              {{"id", id}, {"outcome", found ? "cancelling" : "no such task"}});
}

}  // namespace example::server
