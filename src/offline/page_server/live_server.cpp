// SPDX-License-Identifier: MIT
#include "page_server/live_server.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <thread>
#include <utility>

#include "http/http.hpp"
#include "page_server/named_address.hpp"
#include "page_server/page_rules.hpp"

namespace memprof::page_server {
namespace {

source_options sources_for(server_options const& o) {
  source_options sources = o.sources;
  sources.enabled = sources.enabled && http::is_loopback(o.host);
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
  http::server http;
  std::string url;
  std::jthread watcher;
};

live_server::live_server(std::shared_ptr<served_trace> trace, std::shared_ptr<served_trace> other,
                         server_options const& o) {
  http::listening_socket listening = listen_at_name(o.host, o.port);
  const std::string port = listening.name.substr(listening.name.rfind(':'));
  auto answers = std::make_shared<service const>(trace, other, sources_for(o));
  const http::no_signals none;
  state_.reset(
      new state{.http = http::server(std::move(listening), page_rules(std::move(answers), o.host)),
                .url = "http://" + host_in_url(o.host) + port + '/',
                .watcher = std::jthread([trace, other](std::stop_token const& stop) {
                  refresh_now_and_then(stop, *trace, other.get());
                })});
}

live_server::~live_server() {
  state_->watcher.request_stop();
  state_->http.end(std::chrono::seconds(2));
}

std::string const& live_server::url() const noexcept { return state_->url; }

}  // namespace memprof::page_server
