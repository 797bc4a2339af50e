// SPDX-License-Identifier: MIT
#include "serve/live_server.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <fmt/format.h>
#include <mutex>
#include <stop_token>
#include <thread>

#include "serve/http_server.hpp"
#include "serve/routes.hpp"

namespace memprof::serve {
namespace {

/// Signals are the business of the thread that made us: those it begins have them blocked.
class signals_blocked {
 public:
  signals_blocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before_);
  }
  ~signals_blocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  signals_blocked(signals_blocked const&) = delete;
  signals_blocked& operator=(signals_blocked const&) = delete;

 private:
  sigset_t before_{};
};

source_options sources_for(server_options const& o) {
  source_options sources = o.sources;
  sources.enabled = sources.enabled && is_loopback(o.host);
  return sources;
}

/// Until it is asked to stop.
void refresh_now_and_then(std::stop_token const& stop, served_trace& trace, served_trace* other) {
  using clock = std::chrono::steady_clock;
  std::mutex mutex;
  std::condition_variable_any waiting;
  clock::duration pause = std::chrono::seconds(1);
  while (!stop.stop_requested()) {
    std::unique_lock lock(mutex);
    waiting.wait_for(lock, stop, pause, [] { return false; });
    if (stop.stop_requested()) return;
    const auto begin = clock::now();
    trace.refresh();
    if (other != nullptr) other->refresh();
    pause = std::max<clock::duration>(std::chrono::seconds(1), 3 * (clock::now() - begin));
  }
}

}  // namespace

struct live_server::state {
  state(std::shared_ptr<served_trace> t, std::shared_ptr<served_trace> o, source_options sources)
      : trace(std::move(t)),
        other(std::move(o)),
        answers(trace, other, std::move(sources)),
        http(make_http_server([this](std::string_view path) { return answers.answer(path); })) {}

  std::shared_ptr<served_trace> trace, other;
  service answers;
  std::unique_ptr<http_server> http;
  std::string url;
  std::jthread watcher, listener;
};

live_server::live_server(std::shared_ptr<served_trace> trace, std::shared_ptr<served_trace> other,
                         server_options const& o)
    : state_(std::make_unique<state>(std::move(trace), std::move(other), sources_for(o))) {
  state& s = *state_;
  const int port = s.http->bind(o.host, o.port);
  const bool v6 = o.host.find(':') != std::string::npos;
  s.url = fmt::format("http://{}:{}/", v6 ? "[" + o.host + "]" : o.host, port);
  const signals_blocked blocked;
  s.watcher = std::jthread(
      [&s](std::stop_token const& stop) { refresh_now_and_then(stop, *s.trace, s.other.get()); });
  s.listener = std::jthread([&s] { s.http->run(); });
  while (!s.http->running()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

live_server::~live_server() {
  state_->http->stop();
  state_->watcher.request_stop();
}

std::string const& live_server::url() const noexcept { return state_->url; }

}  // namespace memprof::serve
