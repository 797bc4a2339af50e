// SPDX-License-Identifier: MIT
/// \file
/// memprof-example-server [--host ADDRESS] [--port N] [--tasks N] [--allocations SIZE]
///     [--memory SIZE] [--deadline MILLISECONDS] [--global-memory SIZE]
///     [--soft-memory SIZE] [--reserve SIZE]
///
/// Evaluates expressions for whoever asks. Each request runs on a thread of its own under limits on
/// what it allocates, on the memory it holds, on its time, and under a token by which it can be
/// cancelled; a runaway is answered with the limit that it hit, the others do not notice.
///
/// With --soft-memory a request that holds more than that is paused, and goes on when the reserve
/// that all share has the rest for it: many may be begun, few are large at a time.
///
/// Stops on SIGINT and SIGTERM: running tasks are cancelled and answered first.
#include <chrono>
#include <csignal>
#include <iostream>
#include <pthread.h>
#include <thread>

#include <memprof/serve/respond.hpp>

#include "service.hpp"

using namespace memprof::literals;

namespace example::server {
namespace {

/// SIGINT and SIGTERM, taken by `wait` instead of interrupting a thread. Make one before any other
/// thread is started: threads inherit the mask.
class stop_signals {
 public:
  stop_signals() {
    sigemptyset(&set_);
    sigaddset(&set_, SIGINT);
    sigaddset(&set_, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &set_, nullptr);
  }
  void wait() const {
    int signal = 0;
    sigwait(&set_, &signal);
  }

 private:
  sigset_t set_;
};

/// cpp-httplib listens with a backlog of 5; while runaways take the processors, more than
/// that may wait to be accepted.
class patient_server : public httplib::Server {
 public:
  /// The port; negative if the address cannot be bound.
  int bind(std::string const& host, int port) {
    if (port == 0) {
      port = bind_to_any_port(host);
    } else if (!bind_to_port(host, port)) {
      port = -1;
    }
    return port >= 0 && ::listen(svr_sock_, SOMAXCONN) == 0 ? port : -1;
  }
};

int serve(options const& o) {
  stop_signals const signals;

  // With a mean interval of 8 KiB a limit of 1 MiB is accurate to about 9 %. At the default rate
  // it would be 28 %: see docs/statistical.md for how limit, rate and risk hang together.
  memprof::set_limit_sampling_rate(memprof::sampling_rate::every(8_KiB));
  memprof::set_global_memory_limit(o.global_memory);
  memprof::set_global_memory_victim(memprof::victim::largest);
  memprof::serve::collect_stacks();

  memprof::token shutdown;
  service the_service(o, shutdown);
  patient_server server;
  the_service.attach_to(server);
  server.set_payload_max_length(64 * 1024);
  server.set_keep_alive_timeout(1);
  server.set_tcp_nodelay(true);  // else the end of an answer waits 40 ms for the client
  // Some threads more than tasks, so that a server full of runaways can still be told to stop one.
  server.new_task_queue = [n = o.tasks + 8] { return new httplib::ThreadPool(n); };

  int const port = server.bind(o.host, o.port);
  if (port < 0) {
    std::cerr << "cannot listen on " << o.host << ":" << o.port << "\n";
    return 1;
  }
  std::jthread const listener([&] { server.listen_after_bind(); });
  while (!server.is_running()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  std::cout << "listening on http://" << o.host << ":" << port << std::endl;

  signals.wait();
  shutdown.set("the server stops");
  server.stop();
  return 0;
}

}  // namespace
}  // namespace example::server

int main(int argc, char** argv) {
  example::server::options options;
  try {
    options = example::server::parse_options(argc, argv);
  } catch (std::invalid_argument const& error) {
    std::cerr << argv[0] << ": " << error.what() << "\nusage: " << argv[0] << " "
              << example::server::usage;
    return 2;
  }
  try {
    return example::server::serve(options);
  } catch (std::exception const& error) {
    std::cerr << argv[0] << ": " << error.what() << "\n";
    return 1;
  }
}
