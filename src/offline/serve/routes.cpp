// SPDX-License-Identifier: MIT
#include "serve/routes.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "export/export.hpp"
#include "serve/page.hpp"
#include "serve/routes_json.hpp"

namespace memprof::serve {
namespace {

using namespace std::string_view_literals;

struct route {
  std::string_view path;
  json (*make)(query const&, parameters&);
};

constexpr std::array routes{
    route{"/api/graph", graph_json},         route{"/api/table", table_json},
    route{"/api/series", series_json},       route{"/api/stacked", stacked_json},
    route{"/api/ages", ages_json},           route{"/api/histograms", histograms_json},
    route{"/api/scatter", scatter_json},     route{"/api/survival", survival_json},
    route{"/api/promotion", promotion_json}, route{"/api/suspects", suspects_json},
};

/// An answer that is none.
struct refusal {
  int status;
  std::string text;
};

std::string error_text(std::string const& what, std::string const& parameter = "") {
  json j{{"error", what}};
  if (!parameter.empty()) j["parameter"] = parameter;
  return exports::json_text(j);
}

/// What is there may be much, and of a hostile page: a message is not.
std::string shortened(std::string text) {
  if (text.size() > 300) text = text.substr(0, 300) + "...";
  return text;
}

}  // namespace

std::string service::body_of(request const& r, response& to) const {
  parameters p(r.parameters);
  const auto chosen = [&](parameters& from) -> served_trace& {
    if (!from.flag("other", false)) return *trace_;
    if (!other_) throw bad_parameter("other", "there is no second trace");
    return *other_;
  };
  if (r.path == "/api/trace") {
    p.finish();
    json j = trace_json(*trace_, version_);
    to.generation = j["generation"].get<std::uint64_t>();
    if (other_) {
      j["other"] = trace_json(*other_, version_);
      to.generation += j["other"]["generation"].get<std::uint64_t>();
    }
    return exports::json_text(j);
  }
  const auto at =
      std::find_if(routes.begin(), routes.end(), [&](route const& x) { return x.path == r.path; });
  constexpr std::array of_their_own{"/api/around"sv, "/api/diff"sv, "/api/folded"sv};
  if (at == routes.end() &&
      std::find(of_their_own.begin(), of_their_own.end(), r.path) == of_their_own.end()) {
    throw refusal{404, "there is no " + r.path};
  }
  served_trace& trace = chosen(p);
  to.generation = trace_->now()->generation + (other_ ? other_->now()->generation : 0);
  if (r.path == "/api/diff") {
    parameters of_base(p.with_prefix("base."));
    served_trace& base_trace = chosen(of_base);
    const query base(base_trace, of_base);
    try {
      of_base.finish();
    } catch (bad_parameter const& e) {
      throw bad_parameter("base." + e.parameter(), "there is no such parameter here");
    }
    const query after(trace, p);
    return exports::json_text(diff_json(base, after, p));
  }
  if (r.path == "/api/around") {
    // The selection's functions have the same name, and come before it.
    if (std::none_of(r.parameters.begin(), r.parameters.end(),
                     [](auto const& t) { return t.name == "function"; })) {
      throw bad_parameter("function", "of which function?");
    }
    const std::string function = p.last("function");  // "" is a name, too
    const query a(trace, p);
    return exports::json_text(around_json(a, function, p));
  }
  const query a(trace, p);
  if (r.path == "/api/folded") {
    to.type = "text/plain; charset=utf-8";
    return folded_text(a, p);
  }
  return exports::json_text(at->make(a, p));
}

response service::answer(request const& r) const {
  response to;
  try {
    if (page_part const* part = find_page_part(r.path)) {
      to.type = part->type;
      to.body = part->text;
      return to;
    }
    if (r.path == "/") {
      to.type = "text/plain; charset=utf-8";
      to.body =
          "This memprof was built without the page (npm was not found, see "
          "MEMPROF_BUILD_VIEWER).\nThe routes of docs/serve.md are answered: /api/trace, ...\n";
      return to;
    }
    to.body = body_of(r, to);
  } catch (bad_parameter const& e) {
    to.status = 400;
    to.body = error_text(shortened(e.what()), shortened(e.parameter()));
  } catch (refusal const& e) {
    to.status = e.status;
    to.body = error_text(shortened(e.text));
  } catch (std::bad_alloc const&) {
    throw;
  } catch (std::exception const& e) {
    to.status = 500;
    to.body = error_text(shortened(e.what()));
  }
  if (to.status != 200) to.type = "application/json; charset=utf-8";
  return to;
}

}  // namespace memprof::serve
