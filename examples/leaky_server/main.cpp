// SPDX-License-Identifier: MIT
/// \file
/// A server whose memory grows: which part of it? It knows nothing of memprof; docs/tutorial.md
/// finds the part with the command alone.
///
/// usage: memprof-example-leaky_server [REQUESTS]
///
/// Sessions live until they time out and the cache throws out what is old, so both reach a size and
/// stay there. The statistics of the routes are what nobody bounded.
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <iostream>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace sessions {

struct session {
  std::string user;
  std::vector<std::string> visited;
};

auto& open = *new std::deque<std::unique_ptr<session>>;  // of a server, never destroyed

session& visit(std::uint32_t user) {
  auto fresh = std::make_unique<session>();
  fresh->user = "visitor number " + std::to_string(user);
  open.push_back(std::move(fresh));
  if (open.size() > 2000) open.pop_front();  // timed out
  return *open.back();
}

}  // namespace sessions

namespace cache {

auto& pages = *new std::unordered_map<std::uint32_t, std::string>;
auto& order = *new std::deque<std::uint32_t>;

std::string const& render(std::uint32_t page) {
  auto const [place, is_new] = pages.try_emplace(page);
  if (!is_new) return place->second;
  for (int row = 0; row < 60; ++row) {
    place->second +=
        "<tr><td>" + std::to_string(page * 100 + static_cast<std::uint32_t>(row)) + "</td></tr>\n";
  }
  order.push_back(page);
  if (order.size() > 1000) {
    pages.erase(order.front());
    order.pop_front();
  }
  return pages.at(page);
}

}  // namespace cache

namespace metrics {

struct route {
  std::uint64_t hits = 0;
  std::vector<double> latencies;
};

auto& routes = *new std::map<std::string, route>;

/// The leak: the query is part of the name, so nearly every request makes a route of its own.
void record(std::string const& url, double milliseconds) {
  route& r = routes[url];
  ++r.hits;
  r.latencies.push_back(milliseconds);
}

}  // namespace metrics

namespace {

std::size_t handle_request(std::mt19937& random) {
  const auto page = static_cast<std::uint32_t>(random() % 5000);
  sessions::session& visitor = sessions::visit(static_cast<std::uint32_t>(random()));
  visitor.visited.push_back("/catalogue/page/" + std::to_string(page) + ".html");
  std::string const& body = cache::render(page);
  const std::string url =
      "/search?query=" + std::to_string(random()) + "&page=" + std::to_string(page);
  metrics::record(url, static_cast<double>(random() % 1000) / 10.0);
  return body.size() + visitor.user.size();
}

}  // namespace

int main(int argc, char** argv) {
  const long requests = argc > 1 ? std::atol(argv[1]) : 200'000;
  std::mt19937 random(1);
  std::size_t sent = 0;
  for (long i = 0; i < requests; ++i) sent += handle_request(random);
  std::cout << requests << " requests, " << sent << " bytes sent, " << sessions::open.size()
            << " sessions, " << cache::pages.size() << " pages in the cache\n";
}
