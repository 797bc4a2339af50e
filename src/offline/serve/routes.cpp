// SPDX-License-Identifier: MIT
#include "serve/routes.hpp"

#include "export/export.hpp"
#include "serve/page.hpp"

namespace memprof::serve {
namespace {

response text_answer(std::string_view type, std::string_view text) {
  response to;
  to.type = type;
  to.set_body(std::string(text));
  return to;
}

response index_answer(trace_state const& state) {
  response to;
  to.type = response::binary;
  to.body = state.index;
  to.generation = state.generation;
  return to;
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

response service::trace_answer() const {
  auto const state = trace_->now();
  json j = facts_now(*trace_, *state);
  j["other"] = nullptr;
  if (other_) j["other"] = facts_now(*other_, *other_->now());
  response to;
  to.generation = state->generation;
  to.set_body(exports::json_text(j));
  return to;
}

response service::source_answer(std::string_view file) const {
  response to;
  std::string why = "no frame of this trace names it";
  const auto names = [&](served_trace const* trace) {
    return trace != nullptr && trace->now()->sources.contains(file);
  };
  if (!names(trace_.get()) && !names(other_.get())) {
    to.status = 404;
    to.set_body(exports::json_text(json{{"error", shortened(file) + ": " + why}}));
    return to;
  }
  auto const lines = sources_.read(file, why);
  to.set_body(
      exports::json_text(lines ? json{{"lines", *lines}} : json{{"lines", nullptr}, {"why", why}}));
  return to;
}

response service::answer(std::string_view path) const {
  if (page_part const* part = find_page_part(path)) return text_answer(part->type, part->text);
  if (path == "/") {
    return text_answer("text/plain; charset=utf-8",
                       "This memprof was built without the page (npm was not found, see "
                       "MEMPROF_BUILD_VIEWER).\nThe routes of docs/serve.md are answered: "
                       "/api/trace, /api/index.\n");
  }
  if (path == "/api/trace") return trace_answer();
  if (path == "/api/index") return index_answer(*trace_->now());
  if (path == "/api/other" && other_) return index_answer(*other_->now());
  constexpr std::string_view source = "/api/source/";
  if (path.starts_with(source)) return source_answer(path.substr(source.size()));
  response none;
  none.status = 404;
  none.set_body(exports::json_text(json{{"error", "there is no " + shortened(path)}}));
  return none;
}

}  // namespace memprof::serve
