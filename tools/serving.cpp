// SPDX-License-Identifier: MIT
#include "tools/serving.hpp"

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include "http/http.hpp"
#include "tools/message.hpp"
#include "tools/source_options.hpp"

namespace memprof::tools {
namespace {

/// Starts the user's browser by the desktop's own program. Its end is not awaited: it is
/// not our child, and prints nothing on our terminal.
void open_browser(std::string const& url) {
  const pid_t child = ::fork();
  if (child < 0) return;
  if (child == 0) {
    if (::fork() != 0) ::_exit(0);
    sigset_t none;
    sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    ::setsid();
    const int nothing = ::open("/dev/null", O_RDWR);
    for (const int descriptor : {0, 1, 2}) ::dup2(nothing, descriptor);
    ::execlp("xdg-open", "xdg-open", url.c_str(), static_cast<char*>(nullptr));
    ::_exit(127);
  }
  ::waitpid(child, nullptr, 0);
}

}  // namespace

void add_serving_options(CLI::App& app, serving_options& o) {
  app.add_option("--port", o.port, "The port (default: one that is free)")
      ->type_name("N")
      ->check(CLI::Range(1, 65535));
  app.add_option("--host", o.host,
                 "The address to listen on (default 127.0.0.1: this machine alone)")
      ->type_name("ADDRESS");
  app.add_flag("--open", o.open, "Start a browser (xdg-open)");
  app.add_flag("!--no-sources", o.sources.enabled, "Show no lines of source files");
  add_source_options(app, o.sources);
}

std::unique_ptr<page_server::live_server> begin_serving(
    std::shared_ptr<page_server::served_trace> trace,
    std::shared_ptr<page_server::served_trace> other, serving_options const& o,
    void (*say)(std::string_view)) {
  auto server = std::make_unique<page_server::live_server>(
      std::move(trace), std::move(other),
      page_server::server_options{.host = o.host, .port = o.port, .sources = o.sources});
  if (!http::is_loopback(o.host)) {
    message(
        fmt::format("anyone who can reach {} can read the trace: there is no password", o.host));
  }
  say(fmt::format("Serving at {} (Ctrl-C ends it)\n", server->url()));
  if (o.open) open_browser(server->url());
  return server;
}

end_signals::end_signals() {
  sigemptyset(&set_);
  for (const int s : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&set_, s);
  pthread_sigmask(SIG_BLOCK, &set_, &before_);
}

end_signals::~end_signals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

void end_signals::wait() {
  int signal = 0;
  sigwait(&set_, &signal);
  let_the_next_end_us();
}

bool end_signals::came() noexcept {
  constexpr timespec none{};
  if (sigtimedwait(&set_, nullptr, &none) < 0) return false;
  let_the_next_end_us();
  return true;
}

/// An answer may take long: a second signal ends the process without waiting for it.
void end_signals::let_the_next_end_us() noexcept {
  for (const int s : {SIGINT, SIGTERM, SIGHUP}) std::signal(s, SIG_DFL);
  pthread_sigmask(SIG_UNBLOCK, &set_, nullptr);
}

}  // namespace memprof::tools
