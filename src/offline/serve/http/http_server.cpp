// SPDX-License-Identifier: MIT
#include "serve/http_server.hpp"

#include <condition_variable>
#include <functional>
#include <httplib.h>
#include <mutex>
#include <stdexcept>
#include <sys/socket.h>
#include <system_error>
#include <thread>
#include <utility>

// The one file that knows of cpp-httplib. It is a module by itself and linked with nothing else of
// memprof, so of the other components it uses headers only.
namespace memprof::serve {
namespace {

/// Connections that are open at once; a browser keeps six. A slow client holds one of them, so
/// there are more than the usual attack has.
constexpr std::size_t most_connections = 512;

/// A thread for each connection, begun when it comes: idle ones would cost memory.
class thread_for_each final : public httplib::TaskQueue {
  /// Nothing, or whether it was taken, by the library's version.
  using enqueued = decltype(std::declval<httplib::TaskQueue&>().enqueue({}));

 public:
  enqueued enqueue(std::function<void()> serve) override {
    std::unique_lock lock(mutex_);
    ended_.wait(lock, [&] { return running_ < most_connections; });
    ++running_;
    lock.unlock();
    try {
      std::thread([this, serve] {
        serve();
        done();
      }).detach();
    } catch (std::system_error const&) {  // no thread: this one serves it
      serve();
      done();
    }
    return static_cast<enqueued>(true);
  }
  void shutdown() override {
    std::unique_lock lock(mutex_);
    ended_.wait(lock, [&] { return running_ == 0; });
  }

 private:
  void done() {
    const std::lock_guard lock(mutex_);
    --running_;
    ended_.notify_all();  // while it is locked: who waits may destroy this
  }

  std::mutex mutex_;  ///< guards `running_`
  std::condition_variable ended_;
  std::size_t running_ = 0;
};

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

class cpp_httplib_server final : public http_server {
 public:
  explicit cpp_httplib_server(http_handlers&& handlers) : handlers_(std::move(handlers)) {
    server_.new_task_queue = [] { return new thread_for_each; };
    server_.set_payload_max_length(0);
    server_.set_expect_100_continue_handler([](auto const&, auto&) { return 417; });  // no body
    // A head and a body are two writes; the second would wait 40 ms for the delayed acknowledgement
    // of the first, for every answer but the first on a connection.
    server_.set_tcp_nodelay(true);
    server_.set_default_headers(headers_of_all());
    // All of it here, before the library matches paths with regular expressions or reads a body.
    server_.set_pre_routing_handler([this](httplib::Request const& from, httplib::Response& http) {
      if (from.get_header_value_count("Host") > 1) {
        refuse(http, 400, "there are two headers Host");
      } else if (!handlers_.is_own_host(from.get_header_value("Host"), host_)) {
        refuse(http, 403, "this server has another name");
      } else if (from.method != "GET" && from.method != "HEAD") {
        http.set_header("Allow", "GET, HEAD");
        refuse(http, 405, "only GET and HEAD");
      } else {
        // The library would ask for ranges as they were sent, beyond the end of the body, too.
        const_cast<httplib::Request&>(from).ranges.clear();
        handle(from, http);
      }
      return httplib::Server::HandlerResponse::Handled;
    });
  }

  int bind(std::string const& host, int port) override {
    host_ = host;
    const int got = server_.bind(host, port);
    if (got < 0) {
      throw std::runtime_error("cannot listen on " + host +
                               (port == 0 ? std::string() : " port " + std::to_string(port)));
    }
    return got;
  }
  void run() override { server_.listen_after_bind(); }
  [[nodiscard]] bool running() const override { return server_.is_running(); }
  void stop() override { server_.stop(); }

 private:
  void handle(httplib::Request const& from, httplib::Response& http) const {
    const response r = handlers_.answer(from.path, takes_gzip(from));
    http.status = r.status;
    http.set_header("Vary", "Accept-Encoding");
    if (r.generation != 0) http.set_header("Memprof-Generation", std::to_string(r.generation));
    if (r.gzip) http.set_header("Content-Encoding", "gzip");
    if (r.body->empty()) return http.set_content("", r.type.c_str());
    // By way of a provider: what the library is given as a body it compresses itself, if it can
    // with brotli, which takes seconds.
    http.set_content_provider(
        r.body->size(), r.type,
        [body = r.body](std::size_t from_byte, std::size_t n, httplib::DataSink& sink) {
          return sink.write(body->data() + from_byte, n);
        });
  }

  http_handlers handlers_;
  std::string host_;
  listening_server server_;
};

}  // namespace
}  // namespace memprof::serve

extern "C" memprof::serve::http_server* memprof_make_http_server(
    memprof::serve::http_handlers&& handlers) {
  return new memprof::serve::cpp_httplib_server(std::move(handlers));
}
