// SPDX-License-Identifier: MIT
#include "answers/routes.hpp"

#include <string>

#include "answers/text_response.hpp"

namespace memprof::answers {
namespace {

using serve::metrics;
using serve::metrics_format;
using serve::response;

constexpr std::string_view page_root = "/debug/memprof";

subject subject_below_pprof(std::string_view name) noexcept {
  if (name.empty() || name == "/") return subject::index;
  if (name == "/heap") return subject::heap;
  if (name == "/allocs") return subject::allocs;
  if (name == "/delta_heap") return subject::delta_heap;
  if (name == "/cmdline") return subject::cmdline;
  if (name == "/symbol") return subject::symbol;
  return subject::nothing;
}

response method_not_allowed(char const* allowed) {
  response r = text_response(405, std::string("only ") + allowed);
  r.headers.emplace_back("Allow", allowed);
  return r;
}

}  // namespace

subject subject_of(serve::request const& r) noexcept {
  const std::string_view path = http::request_target::of(r.target).path;
  if (path == "/metrics") return subject::metrics;
  for (const std::string_view root : {"/debug/pprof", "/pprof"}) {
    if (path.starts_with(root)) return subject_below_pprof(path.substr(root.size()));
  }
  const bool is_below = path.starts_with(page_root);
  if (is_below && (path.size() == page_root.size() || path[page_root.size()] == '/')) {
    return subject::page;
  }
  return subject::nothing;
}

response routes::metrics_page(std::string_view accept) {
  const bool open = http::prefers_openmetrics(accept);
  metrics page(open ? metrics_format::openmetrics : metrics_format::text);
  from_.add_metrics(page);
  return {.status = 200,
          .content_type = open ? "application/openmetrics-text; version=1.0.0; charset=utf-8"
                               : "text/plain; version=0.0.4; charset=utf-8",
          .body = page.finish(),
          .headers = {{"Vary", "Accept"}}};
}

response routes::get(serve::request const& r, subject what) {
  if (r.target.size() > http::longest_target) return text_response(414, "too long an address");
  if (r.body.size() > http::longest_body) return text_response(413, "too long a body");
  if (what == subject::symbol && r.method == "POST") return profiles_.symbols(r.body);
  if (r.method != "GET" && r.method != "HEAD") {
    return method_not_allowed(what == subject::symbol ? "GET, HEAD, POST" : "GET, HEAD");
  }
  const http::request_target target = http::request_target::of(r.target);
  switch (what) {
    case subject::metrics:
      return metrics_page(r.accept);
    case subject::index:
      return index_page(from_.has_page());
    case subject::heap:
      return profiles_.profile(profile_kind::heap, target);
    case subject::allocs:
      return profiles_.profile(profile_kind::allocs, target);
    case subject::delta_heap:
      return profiles_.profile(profile_kind::delta_heap, target);
    case subject::cmdline:
      return plain_response(from_.command_line());
    case subject::symbol:
      return profiles_.symbols(target.query);
    case subject::page:
      if (from_.has_page()) return from_.page(target.path.substr(page_root.size()));
      break;
    case subject::nothing:
      break;
  }
  return text_response(404, "not here; /debug/pprof/ lists what is");
}

response routes::to(serve::request const& r, subject what) {
  response result = get(r, what);
  if (r.method == "HEAD") result.body.clear();
  return result;
}

}  // namespace memprof::answers
