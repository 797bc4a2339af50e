// SPDX-License-Identifier: MIT
#include "answers/routes.hpp"

#include <string>

#include "answers/text_response.hpp"

namespace memprof::answers {
namespace {

using serve::metrics;
using serve::metrics_format;
using serve::response;

response method_not_allowed(char const* allowed) {
  response r = text_response(405, std::string("only ") + allowed);
  r.headers.emplace_back("Allow", allowed);
  return r;
}

}  // namespace

std::string_view name_below_pprof(std::string_view path) noexcept {
  for (const std::string_view root : {"/debug/pprof", "/pprof"}) {
    if (path == root) return "/";
    if (path.starts_with(root)) return path.substr(root.size());
  }
  return {};
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

response routes::get(serve::request const& r) {
  if (r.target.size() > http::longest_target) return text_response(414, "too long an address");
  if (r.body.size() > http::longest_body) return text_response(413, "too long a body");
  const http::request_target target = http::request_target::of(r.target);
  const std::string_view name = name_below_pprof(target.path);
  if (name == "/symbol" && r.method == "POST") return profiles_.symbols(r.body);
  if (r.method != "GET" && r.method != "HEAD") {
    return method_not_allowed(name == "/symbol" ? "GET, HEAD, POST" : "GET, HEAD");
  }
  if (target.path == "/metrics") return metrics_page(r.accept);
  if (name == "/") return index_page(from_.has_page());
  if (name == "/heap") return profiles_.profile(profile_kind::heap, target);
  if (name == "/allocs") return profiles_.profile(profile_kind::allocs, target);
  if (name == "/delta_heap") return profiles_.profile(profile_kind::delta_heap, target);
  if (name == "/cmdline") return plain_response(from_.command_line());
  if (name == "/symbol") return profiles_.symbols(target.query);
  return text_response(404, "not here; /debug/pprof/ lists what is");
}

response routes::to(serve::request const& r) {
  response result = get(r);
  if (r.method == "HEAD") result.body.clear();
  return result;
}

}  // namespace memprof::answers
