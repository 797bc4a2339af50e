// SPDX-License-Identifier: MIT
#include "serve/http_server.hpp"

#include <httplib.h>
#include <sstream>
#include <stdexcept>
#include <sys/socket.h>

#include "export/export.hpp"

namespace memprof::serve {
namespace {

/// Connections that are open at once; a browser keeps six.
constexpr std::size_t threads = 32;
constexpr std::size_t worth_compressing = 1024;

/// cpp-httplib listens with a backlog of 5, and shares the port with others of the same user.
class listening_server : public httplib::Server {
 public:
  int bind(std::string const& host, int port) {
    set_socket_options([](socket_t s) {
      const int yes = 1;
      ::setsockopt(s, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    });
    if (port == 0) {
      port = bind_to_any_port(host);
    } else if (!bind_to_port(host, port)) {
      port = -1;
    }
    return port >= 0 && ::listen(svr_sock_, SOMAXCONN) == 0 ? port : -1;
  }
};

request request_of(httplib::Request const& from) {
  request r;
  r.path = from.path;
  const std::size_t query = from.target.find('?');
  if (query != from.target.npos) r.parameters = parse_query(from.target.substr(query + 1));
  return r;
}

std::string gzipped(std::string const& text) {
  std::ostringstream out;
  exports::gzip_writer writer(out);
  writer.write(text);
  writer.finish();
  return std::move(out).str();
}

bool takes_gzip(httplib::Request const& from) {
  const std::string list = from.get_header_value("Accept-Encoding");
  const std::size_t at = list.find("gzip");
  return at != list.npos && list.compare(at, 8, "gzip;q=0") != 0;
}

void refuse(httplib::Response& to, int status, char const* why) {
  to.status = status;
  to.set_header("Connection", "close");  // a body may follow, which nobody reads
  to.set_content(std::string("{\"error\":\"") + why + "\"}", "application/json; charset=utf-8");
}

httplib::Headers headers_of_all() {
  return {
      {"Content-Security-Policy",
       "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
       "font-src 'self'; connect-src 'self'; worker-src 'self'; base-uri 'none'; "
       "form-action 'none'; frame-ancestors 'none'"},
      {"X-Content-Type-Options", "nosniff"},
      {"X-Frame-Options", "DENY"},
      {"Referrer-Policy", "no-referrer"},
      {"Cross-Origin-Opener-Policy", "same-origin"},
      {"Cross-Origin-Resource-Policy", "same-origin"},
      {"Permissions-Policy", "camera=(), microphone=(), geolocation=()"},
      {"Cache-Control", "no-store"},
  };
}

}  // namespace

struct http_server::state {
  answer to;
  std::string host;
  listening_server server;

  void handle(httplib::Request const& from, httplib::Response& http) const {
    response r = to(request_of(from));
    http.status = r.status;
    http.set_header("Vary", "Accept-Encoding");
    if (r.generation != 0) http.set_header("Memprof-Generation", std::to_string(r.generation));
    if (r.body.empty()) return http.set_content("", r.type.c_str());
    auto body = std::make_shared<std::string>(std::move(r.body));
    if (body->size() >= worth_compressing && takes_gzip(from)) {
      *body = gzipped(*body);
      http.set_header("Content-Encoding", "gzip");
    }
    // By way of a provider: what the library is given as a body it compresses itself, if it can
    // with brotli, which takes seconds.
    http.set_content_provider(
        body->size(), r.type,
        [body](std::size_t from_byte, std::size_t n, httplib::DataSink& sink) {
          return sink.write(body->data() + from_byte, n);
        });
  }
};

http_server::http_server(answer to) : state_(std::make_unique<state>()) {
  state& s = *state_;
  s.to = std::move(to);
  s.server.new_task_queue = [] { return new httplib::ThreadPool(threads); };
  s.server.set_payload_max_length(0);
  s.server.set_default_headers(headers_of_all());
  // All of it here, before the library matches paths with regular expressions or reads a body.
  s.server.set_pre_routing_handler([&s](httplib::Request const& from, httplib::Response& http) {
    if (!is_host_of(from.get_header_value("Host"), s.host)) {
      refuse(http, 403, "this server has another name");
    } else if (from.method != "GET" && from.method != "HEAD") {
      http.set_header("Allow", "GET, HEAD");
      refuse(http, 405, "only GET and HEAD");
    } else {
      s.handle(from, http);
    }
    return httplib::Server::HandlerResponse::Handled;
  });
}

http_server::~http_server() = default;

int http_server::bind(std::string const& host, int port) {
  state_->host = host;
  const int got = state_->server.bind(host, port);
  if (got < 0) {
    throw std::runtime_error("cannot listen on " + host +
                             (port == 0 ? std::string() : " port " + std::to_string(port)));
  }
  return got;
}

void http_server::run() { state_->server.listen_after_bind(); }
bool http_server::running() const { return state_->server.is_running(); }
void http_server::stop() { state_->server.stop(); }

}  // namespace memprof::serve
