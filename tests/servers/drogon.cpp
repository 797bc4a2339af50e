// SPDX-License-Identifier: MIT
//
// A Drogon application with one thread for its connections answers for memprof, and for itself.
#include <chrono>
#include <drogon/drogon.h>
#include <future>
#include <httplib.h>
#include <string>
#include <thread>

#include "memprof/memprof.hpp"
#include "memprof/serve/adaptors.hpp"

#include "../programs/check.hpp"

namespace {

using namespace std::chrono_literals;
using clock_type = std::chrono::steady_clock;

httplib::Client client_of(int port) {
  httplib::Client client("127.0.0.1", port);
  client.set_read_timeout(30s);
  return client;
}

void answers_for_both(int port) {
  auto client = client_of(port);

  const httplib::Headers open_metrics{{"Accept", "application/openmetrics-text"}};
  auto got = client.Get("/metrics", open_metrics);
  // It listens some moments after its loops have begun.
  for (int tries = 0; !got && tries < 1000; ++tries) {
    std::this_thread::sleep_for(10ms);
    got = client.Get("/metrics", open_metrics);
  }
  CHECK(got && got->status == 200);
  CHECK(got->get_header_value("Content-Type") ==
        "application/openmetrics-text; version=1.0.0; charset=utf-8");
  CHECK(got->get_header_value("Vary") == "Accept");
  CHECK(got->body.ends_with("# EOF\n"));

  got = client.Get("/metrics");
  CHECK(got && got->get_header_value("Content-Type") == "text/plain; version=0.0.4; charset=utf-8");
  got = client.Head("/metrics");
  CHECK(got && got->status == 200 && got->body.empty());

  got = client.Get("/debug/pprof/heap");
  CHECK(got && got->status == 200 &&
        got->get_header_value("Content-Type") == "application/octet-stream");
  CHECK(got->body.starts_with("\x1f\x8b"));  // gzip
  got = client.Get("/debug/pprof/heap?debug=1");
  CHECK(got && got->get_header_value("Content-Type").starts_with("text/plain"));
  got = client.Post("/debug/pprof/symbol", "0x1", "text/plain");
  CHECK(got && got->body == "num_symbols: 1\n");
  got = client.Get("/debug/memprof");
  CHECK(got && got->status == 301 && got->get_header_value("Location") == "memprof/");

  got = client.Get("/debug/pprof/heap?seconds=nonsense");
  CHECK(got && got->status == 400);
  got = client.Get("/debug/pprof/unknown");
  CHECK(got && got->status == 404);
  got = client.Delete("/metrics");
  CHECK(got && got->status == 405);

  // What is the application's own stays so.
  got = client.Get("/hello");
  CHECK(got && got->status == 200 && got->body == "hello");
  got = client.Get("/debug/pprofile");
  CHECK(got && got->status == 404);
}

// Those that wait for their seconds keep nobody waiting, and are bounded.
void waits_beside_its_loop(int port) {
  const auto began = clock_type::now();
  std::vector<std::future<int>> waiting;
  for (int i = 0; i < 6; ++i) {
    waiting.push_back(std::async(std::launch::async, [port] {
      const auto got = client_of(port).Get("/debug/pprof/allocs?seconds=3");
      return got ? got->status : 0;
    }));
  }
  auto client = client_of(port);
  int answered = 0;
  while (clock_type::now() - began < 2s) {
    const auto got = client.Get("/hello");
    CHECK(got && got->status == 200);
    ++answered;
    std::this_thread::sleep_for(10ms);
  }
  CHECK(answered > 10);
  int profiles = 0;
  int refused = 0;
  for (auto& w : waiting) {
    const int status = w.get();
    CHECK(status == 200 || status == 503);
    ++(status == 200 ? profiles : refused);
  }
  CHECK(profiles == 4 && refused == 2);
  CHECK(clock_type::now() - began >= 3s);
}

}  // namespace

int main() {
  memprof::serve::collect_stacks();
  auto& app = drogon::app();
  app.setLogLevel(trantor::Logger::kWarn).setThreadNum(1).addListener("127.0.0.1", 0);
  app.registerHandler("/hello", [](drogon::HttpRequestPtr const&,
                                   std::function<void(drogon::HttpResponsePtr const&)>&& callback) {
    auto response = drogon::HttpResponse::newHttpResponse();
    response->setBody(std::string("hello"));
    callback(response);
  });
  memprof::serve::attach_to_drogon<drogon::HttpResponse>(app);

  std::thread asks;
  app.registerBeginningAdvice([&] {
    asks = std::thread([&app, port = app.getListeners().at(0).toPort()] {
      answers_for_both(port);
      waits_beside_its_loop(port);
      app.quit();
    });
  });
  app.run();
  asks.join();
  return 0;
}
