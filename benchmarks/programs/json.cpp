// SPDX-License-Identifier: MIT
// A real program for processes/programs.py, without memprof: nlohmann-json builds a document of
// orders, writes, parses and changes it, ROUNDS times.
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>

namespace {

using nlohmann::json;

json make_orders(int n) {
  json orders = json::array();
  for (int i = 0; i < n; ++i) {
    orders.push_back({{"id", i},
                      {"customer", "customer number " + std::to_string(i % 997)},
                      {"tags", {"new", "paid", "t" + std::to_string(i % 17)}},
                      {"price", i * 1.25}});
  }
  return orders;
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 1;
  std::size_t total = 0;
  for (int round = 0; round < rounds; ++round) {
    const std::string text = make_orders(10'000).dump();
    json read = json::parse(text);
    for (json& order : read) order["paid"] = order["price"].get<double>() > 100;
    total += text.size() + read.dump().size();
  }
  std::printf("%zu\n", total);
}
