// SPDX-License-Identifier: MIT
/// \file
/// `respond` in the servers of others: cpp-httplib, Boost.Beast and Drogon. This header includes
/// none of them.
///
/// With cpp-httplib: `memprof::serve::attach_to_httplib(server)`.
///
/// With Beast, for a `http::request<http::string_body>` whose target `is_served`:
/// `auto answer = memprof::serve::respond_to_beast<http::response<http::string_body>>(request)`.
///
/// With Drogon: `memprof::serve::attach_to_drogon<drogon::HttpResponse>(drogon::app())`.
///
/// For any other server: fill in a `request`, and copy the `response`.
#pragma once

#include <exception>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include "memprof/serve/respond.hpp"

namespace memprof::inline v0::serve {

/// Whether `respond` has an answer below this path: /metrics, /debug/pprof/..., /debug/memprof/...
[[nodiscard]] constexpr bool is_served(std::string_view target) noexcept {
  const std::string_view path = target.substr(0, target.find('?'));
  return path == "/metrics" || path == "/debug/pprof" || path.starts_with("/debug/pprof/") ||
         path == "/debug/memprof" || path.starts_with("/debug/memprof/");
}

/// Registers the paths with a cpp-httplib server (`httplib::Server`, or one with TLS). A request
/// with `seconds` keeps one of the server's threads for as long.
template <class Server>
void attach_to_httplib(Server& server) {
  const auto handler = [](auto const& from, auto& to) {
    response r = respond({.method = from.method,
                          .target = from.target,
                          .accept = from.get_header_value("Accept"),
                          .body = from.body});
    to.status = r.status;
    for (auto const& [name, value] : r.headers) to.set_header(name.c_str(), value);
    to.set_content(std::move(r.body), r.content_type.c_str());
  };
  server.Get("/metrics", handler);
  server.Get("/debug/pprof", handler);
  server.Get("/debug/pprof/.*", handler);
  server.Get("/debug/memprof", handler);
  server.Get("/debug/memprof/.*", handler);
  server.Post("/debug/pprof/symbol", handler);
}

/// A response of Boost.Beast (`http::response<http::string_body>`) to one of its requests.
template <class Response, class Request>
[[nodiscard]] Response respond_to_beast(Request const& from) {
  const auto view = [](auto const& text) { return std::string_view(text.data(), text.size()); };
  response r = respond({.method = view(from.method_string()),
                        .target = view(from.target()),
                        .accept = view(from["Accept"]),
                        .body = view(from.body())});
  Response to;
  to.version(from.version());
  to.result(static_cast<unsigned>(r.status));
  to.keep_alive(from.keep_alive());
  to.set("Content-Type", r.content_type);
  for (auto const& [name, value] : r.headers) to.set(name, value);
  to.body() = std::move(r.body);
  to.prepare_payload();
  return to;
}

/// A `response` as a `drogon::HttpResponsePtr`.
template <class Response>
[[nodiscard]] auto drogon_response(response from) {
  auto to = Response::newHttpResponse();
  to->setStatusCode(static_cast<decltype(to->statusCode())>(from.status));
  to->setContentTypeString(from.content_type);
  for (auto const& [name, value] : from.headers) to->addHeader(name, value);
  to->setBody(std::move(from.body));
  return to;
}

/// Answers in a handler of Drogon, which may have filters of yours: `request` is the handler's
/// `drogon::HttpRequestPtr`, `callback` gets the response. A request with `seconds` waits in a
/// thread of its own, not in the event loop; for want of memory or threads the answer is 503.
template <class Response, class Request, class Callback>
void respond_to_drogon(Request const& request, Callback callback) {
  const auto unavailable = [](std::exception const& why) {
    return response{503, "text/plain; charset=utf-8", std::string(why.what()) + "\n", {}};
  };
  const auto answer = [request, callback, unavailable] {
    response r;
    try {
      std::string target = request->path();
      if (!request->query().empty()) target += "?" + request->query();
      r = respond({.method = request->methodString(),
                   .target = target,
                   .accept = request->getHeader("accept"),
                   .body = request->body()});
    } catch (std::exception const& why) {
      r = unavailable(why);
    }
    callback(drogon_response<Response>(std::move(r)));
  };
  if (request->getParameter("seconds").empty()) return answer();
  try {
    std::thread(answer).detach();
  } catch (std::system_error const& why) {
    callback(drogon_response<Response>(unavailable(why)));
  }
}

/// Answers the paths in a Drogon application (`drogon::app()`), before its routing and its filters:
/// whoever reaches the application may ask. To be called before the application runs. All but the
/// requests with `seconds` are answered in the event loop, which a profile keeps for 1 to 50 ms.
template <class Response, class Application>
void attach_to_drogon(Application& application) {
  application.registerPreRoutingAdvice([](auto const& request, auto&& callback, auto&& next) {
    if (!is_served(request->path())) return next();
    respond_to_drogon<Response>(request, std::move(callback));
  });
}

}  // namespace memprof::inline v0::serve
