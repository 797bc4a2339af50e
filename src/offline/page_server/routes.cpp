// SPDX-License-Identifier: MIT
#include "page_server/routes.hpp"

#include <utility>

#include "export/export.hpp"
#include "page_server/page.hpp"

namespace memprof::page_server {
namespace {

http::response answer_of(std::string_view type, std::string text, int status = 200) {
  http::response to{.status = status, .content_type = std::string(type), .body = {}, .headers = {}};
  to.set_body(std::move(text));
  return to;
}

http::response json_answer(json const& j, int status = 200) {
  return answer_of(json_type, exports::json_text(j), status);
}

http::header_list generation_of(trace_state const& state) {
  return {{"Memprof-Generation", std::to_string(state.generation)}};
}

http::response index_answer(trace_state const& state) {
  return {.status = 200,
          .content_type = std::string(index_type),
          .body = state.index,
          .headers = generation_of(state)};
}

/// With what may have changed since the file was read.
json facts_now(served_trace const& trace, trace_state const& state) {
  json j = state.facts;
  j["growing"] = trace.growing();
  return j;
}

/// What is there may be much, and of a hostile page: a message is not.
std::string shortened(std::string_view text) {
  return text.size() > 300 ? std::string(text.substr(0, 300)) + "..." : std::string(text);
}

}  // namespace

http::response service::trace_answer() const {
  auto const state = trace_->now();
  json j = facts_now(*trace_, *state);
  j["other"] = nullptr;
  if (other_) j["other"] = facts_now(*other_, *other_->now());
  http::response to = json_answer(j);
  to.headers = generation_of(*state);
  return to;
}

http::response service::source_answer(std::string_view file) const {
  std::string why = "no frame of this trace names it";
  const auto names = [&](served_trace const* trace) {
    return trace != nullptr && trace->now()->sources.contains(file);
  };
  if (!names(trace_.get()) && !names(other_.get())) {
    return json_answer({{"error", shortened(file) + ": " + why}}, 404);
  }
  auto const lines = sources_.read(file, why);
  return json_answer(lines ? json{{"lines", *lines}} : json{{"lines", nullptr}, {"why", why}});
}

http::response service::answer(std::string_view path) const {
  if (page_part const* part = find_page_part(path)) {
    return answer_of(part->type, std::string(part->text));
  }
  if (path == "/") {
    return answer_of("text/plain; charset=utf-8",
                     "This memprof was built without the page (npm was not found, see "
                     "MEMPROF_BUILD_VIEWER).\nThe routes of docs/serve.md are answered: "
                     "/api/trace, /api/index.\n");
  }
  if (path == "/api/trace") return trace_answer();
  if (path == "/api/index") return index_answer(*trace_->now());
  if (path == "/api/other" && other_) return index_answer(*other_->now());
  constexpr std::string_view source = "/api/source/";
  if (path.starts_with(source)) return source_answer(path.substr(source.size()));
  return json_answer({{"error", "there is no " + shortened(path)}}, 404);
}

}  // namespace memprof::page_server
