// SPDX-License-Identifier: MIT
#include "endpoints/page_routes.hpp"

#include <exception>
#include <new>
#include <utility>

#include "answers/answers.hpp"
#include "endpoints/live_profile.hpp"
#include "endpoints/page_file.hpp"
#include "endpoints/workshop.hpp"

namespace memprof::endpoints {
namespace {

using answers::busy_response;
using answers::text_response;
using serve::response;

/// What the page may do: its script and worker are in it, and it asks nobody but this server.
constexpr char policy[] =
    "default-src 'none'; script-src 'unsafe-inline' blob: data:; style-src 'unsafe-inline'; "
    "img-src data: blob:; connect-src 'self'; worker-src blob: data:; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'";

response of_type(char const* type, std::string body) {
  return {.status = 200,
          .content_type = type,
          .body = std::move(body),
          .headers = {{"X-Content-Type-Options", "nosniff"},
                      {"Cache-Control", "no-store"},
                      {"Referrer-Policy", "no-referrer"},
                      {"Cross-Origin-Resource-Policy", "same-origin"}}};
}

response page() {
  const std::vector<std::string> places = page_file_places();
  if (auto text = read_page_file(places)) {
    response r = of_type("text/html; charset=utf-8", *std::move(text));
    r.headers.emplace_back("Content-Security-Policy", policy);
    return r;
  }
  std::string where;
  for (std::string const& place : places) where += (where.empty() ? "" : ", ") + place;
  return text_response(404, "The page is not installed; looked for " + where +
                                ". It comes with the command memprof, as "
                                "share/memprof/viewer.html: set MEMPROF_PAGE to a copy of it.");
}

/// Of the blocks as they are now, or were a moment ago.
template <class Make>
response of_blocks(Make make) {
  try {
    begin_collecting(std::nullopt);
  } catch (std::bad_alloc const&) {
    throw;
  } catch (std::exception const& error) {
    return text_response(503, error.what());
  }
  workshop& w = the_workshop();
  const std::unique_lock turn(w.turn, workshop::patience);
  if (!turn) return busy_response("another profile is being written");
  w.shown.refresh(w.names);
  response r = make(std::as_const(w.shown));
  r.headers.emplace_back("Memprof-Generation", std::to_string(w.shown.generation()));
  return r;
}

}  // namespace

response page_response(std::string_view name) {
  if (name.empty()) {
    response r = text_response(301, "/debug/memprof/");
    r.headers.emplace_back("Location", "memprof/");
    return r;
  }
  if (name == "/") return page();
  if (name == "/api/trace") {
    return of_blocks(
        [](live_index const& shown) { return of_type("application/json", shown.facts()); });
  }
  if (name == "/api/index") {
    return of_blocks(
        [](live_index const& shown) { return of_type("application/octet-stream", shown.bytes()); });
  }
  return text_response(404, "not here; /debug/memprof/ is the page");
}

}  // namespace memprof::endpoints
