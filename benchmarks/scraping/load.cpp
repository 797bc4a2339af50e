// SPDX-License-Identifier: MIT
// Load for the example server, for scripts/scraping.py: clients that ask one after another, each
// time for one of some good expressions, and now and then for a runaway, which a limit must cut.
//
//     memprof-benchmark-scraping-load PORT CLIENTS
//
// Each line of standard input begins an interval with that name. At the end of the input it prints
// for every good request "INTERVAL MICROSECONDS", and as the last line the sums:
// "good N, wrong N, cut N, not cut N".
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <httplib.h>
#include <iostream>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace {

using clock_type = std::chrono::steady_clock;

struct request {
  char const* expression;
  char const* value;  ///< nullptr: a runaway
};

constexpr request good[] = {
    {"sum(i = 1..1000, i^3)", "250500250000"},
    {"300! / 297!", "26730600"},
    {"(3^200 - 1) % 1000003", nullptr},
    {"2^100", "1267650600228229401496703205376"},
};
constexpr request runaways[] = {
    {"sum(i = 1..10^9, 3^20000 % (i + 1))", nullptr},
    {"2^(3^20)", nullptr},
};
constexpr unsigned requests_for_each_runaway = 40;

struct sample {
  std::uint32_t interval;
  std::uint32_t microseconds;
};

std::atomic<std::uint32_t> interval{0};
std::atomic<bool> end{false};
std::atomic<std::uint64_t> wrong{0}, cut{0}, not_cut{0};

std::uint32_t microseconds_since(clock_type::time_point begin) {
  return static_cast<std::uint32_t>(
      std::chrono::duration_cast<std::chrono::microseconds>(clock_type::now() - begin).count());
}

/// A request that lies in two intervals counts for the one in which it began.
void run_client(int port, unsigned seed, std::vector<sample>& samples) {
  httplib::Client client("127.0.0.1", port);
  client.set_keep_alive(true);
  client.set_tcp_nodelay(true);
  client.set_read_timeout(60);
  std::mt19937 random(seed);
  while (!end) {
    if (random() % requests_for_each_runaway == 0) {
      request const& r = runaways[random() % std::size(runaways)];
      auto const answer = client.Post("/evaluate?allocations=2MiB", r.expression, "text/plain");
      ++(answer && answer->status == 422 ? cut : not_cut);
      continue;
    }
    request const& r = good[random() % std::size(good)];
    const std::uint32_t in = interval;
    const auto begin = clock_type::now();
    auto const answer = client.Post("/evaluate", r.expression, "text/plain");
    const std::uint32_t took = microseconds_since(begin);
    const bool right = answer && answer->status == 200 &&
                       (r.value == nullptr || answer->body.find(r.value) != std::string::npos);
    right ? samples.push_back({in, took}) : static_cast<void>(++wrong);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const int port = std::atoi(argv[1]);
  std::vector<std::vector<sample>> samples(std::strtoul(argv[2], nullptr, 10));
  std::vector<std::string> names;
  std::string name;
  if (!std::getline(std::cin, name)) return 2;
  names.push_back(name);
  {
    std::vector<std::jthread> clients;
    for (unsigned i = 0; i < samples.size(); ++i) {
      clients.emplace_back([&, i] { run_client(port, i, samples[i]); });
    }
    while (std::getline(std::cin, name)) {
      names.push_back(name);
      interval = static_cast<std::uint32_t>(names.size() - 1);
    }
    end = true;
  }
  std::uint64_t count = 0;
  for (auto const& of_client : samples) {
    count += of_client.size();
    for (sample const& s : of_client) {
      std::printf("%s %u\n", names[s.interval].c_str(), s.microseconds);
    }
  }
  std::printf("good %llu, wrong %llu, cut %llu, not cut %llu\n",
              static_cast<unsigned long long>(count), static_cast<unsigned long long>(wrong),
              static_cast<unsigned long long>(cut), static_cast<unsigned long long>(not_cut));
  return wrong == 0 && not_cut == 0 ? 0 : 1;
}
