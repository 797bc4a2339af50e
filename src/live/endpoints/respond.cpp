// SPDX-License-Identifier: MIT
#include "memprof/serve/respond.hpp"

#include <new>
#include <optional>
#include <utility>

#include "endpoints/answer_work.hpp"
#include "endpoints/live_profile.hpp"
#include "endpoints/page_file.hpp"
#include "endpoints/page_routes.hpp"
#include "endpoints/process_metrics.hpp"
#include "endpoints/profile_routes.hpp"
#include "endpoints/publications.hpp"
#include "endpoints/request_target.hpp"

namespace memprof::inline v0::serve {
namespace {

using endpoints::profile_kind;
using endpoints::request_target;
using endpoints::text_response;

constexpr std::size_t longest_body = 256 * 1024;

response metrics_page(std::string_view accept) {
  const bool open = endpoints::prefers_openmetrics(accept);
  metrics page(open ? metrics_format::openmetrics : metrics_format::text);
  endpoints::add_process(page);
  endpoints::add_budgets(page);
  endpoints::add_published_families(page);
  return {.status = 200,
          .content_type = open ? "application/openmetrics-text; version=1.0.0; charset=utf-8"
                               : "text/plain; version=0.0.4; charset=utf-8",
          .body = page.finish(),
          .headers = {{"Vary", "Accept"}}};
}

/// The part of a path that names what is wanted; the paths of gperftools are known, too.
std::string_view name_below_pprof(std::string_view path) {
  for (const std::string_view root : {"/debug/pprof", "/pprof"}) {
    if (path == root) return "/";
    if (path.starts_with(root)) return path.substr(root.size());
  }
  return {};
}

/// The part of a path below that of the page; nullopt: it is another one.
std::optional<std::string_view> name_below_page(std::string_view path) {
  constexpr std::string_view root = "/debug/memprof";
  if (!path.starts_with(root)) return std::nullopt;
  path.remove_prefix(root.size());
  if (!path.empty() && path.front() != '/') return std::nullopt;
  return path;
}

response method_not_allowed(char const* allowed) {
  response r = text_response(405, std::string("only ") + allowed);
  r.headers.emplace_back("Allow", allowed);
  return r;
}

/// By the path alone: also of what is refused.
endpoints::answer_kind kind_of(std::string_view target) {
  const std::string_view path = target.substr(0, target.find('?'));
  if (path == "/metrics") return endpoints::answer_kind::metrics;
  if (name_below_page(path)) return endpoints::answer_kind::page;
  const std::string_view name = name_below_pprof(path);
  const bool is_profile = name == "/heap" || name == "/allocs" || name == "/delta_heap";
  return is_profile ? endpoints::answer_kind::profile : endpoints::answer_kind::other;
}

response answer(request const& r) {
  if (r.target.size() > endpoints::longest_target) return text_response(414, "too long an address");
  if (r.body.size() > longest_body) return text_response(413, "too long a body");
  const request_target target = request_target::of(r.target);
  const std::string_view name = name_below_pprof(target.path);
  if (name == "/symbol" && r.method == "POST") return endpoints::symbols(r.body);
  if (r.method != "GET" && r.method != "HEAD") {
    return method_not_allowed(name == "/symbol" ? "GET, HEAD, POST" : "GET, HEAD");
  }
  if (target.path == "/metrics") return metrics_page(r.accept);
  if (const auto page = name_below_page(target.path)) return endpoints::page_response(*page);
  if (name == "/") return endpoints::index_page();
  if (name == "/heap") return endpoints::profile_response(profile_kind::heap, target);
  if (name == "/allocs") return endpoints::profile_response(profile_kind::allocs, target);
  if (name == "/delta_heap") return endpoints::profile_response(profile_kind::delta_heap, target);
  if (name == "/cmdline") return endpoints::command_line();
  if (name == "/symbol") return endpoints::symbols(target.query);
  return text_response(404, "not here; /debug/pprof/ lists what is");
}

}  // namespace

response respond(request const& r) {
  const endpoints::counted_answer counted(kind_of(r.target));
  response result = answer(r);
  if (r.method == "HEAD") result.body.clear();
  return result;
}

void set_page_file(std::string path) { endpoints::choose_page_file(std::move(path)); }

void collect_stacks(std::optional<sampling_rate> rate) { endpoints::begin_collecting(rate); }

}  // namespace memprof::inline v0::serve
