// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>
#include <string>
#include <unordered_map>
#include <vector>

#include "million/workload.hpp"

namespace memprof::test {
namespace {

std::uint64_t hash_of(std::string const& s) { return std::hash<std::string>{}(s); }

std::string text_of(unsigned n) {
  return std::string(20 + n % 40, static_cast<char>('a' + n % 26));
}

std::uint64_t json(unsigned variant) {
  // Not from null, and not from braces: see the defects in sweep/json.cpp.
  auto j = nlohmann::json::object();
  j["list"] = nlohmann::json::array();
  for (unsigned i = 0; i < 3 + variant % 4; ++i) {
    auto item = nlohmann::json::object();
    item["name"] = text_of(i + variant);
    item["value"] = i * 1.5;
    j["list"].push_back(std::move(item));
  }
  auto const parsed = nlohmann::json::parse(j.dump());
  return parsed == j ? hash_of(parsed.dump(2)) : 0;
}

std::uint64_t containers(unsigned variant) {
  std::map<std::string, std::vector<std::string>> m;
  std::unordered_map<std::string, std::list<int>> u;
  std::deque<std::string> d;
  for (unsigned i = 0; i < 8 + variant; ++i) {
    m[text_of(i % 5)].push_back(text_of(i));
    u[text_of(i % 7)].push_back(static_cast<int>(i));
    d.push_front(text_of(i));
  }
  auto const copy = m;
  std::uint64_t h = u.size() + d.size();
  for (auto const& [key, values] : copy) h = h * 31 + hash_of(key) + values.size();
  return h;
}

std::uint64_t algorithms(unsigned variant) {
  std::vector<std::string> v;
  for (unsigned i = 0; i < 12 + variant; ++i) v.push_back(text_of(i * 7));
  std::sort(v.begin(), v.end(), [](std::string a, std::string b) { return a < b; });  // copies
  std::stable_sort(v.begin(), v.end(), std::greater<>());
  std::vector<std::function<std::string()>> list;
  for (auto const& s : v) list.emplace_back([s] { return s + s; });
  std::uint64_t h = 0;
  for (auto const& f : list) h = h * 31 + hash_of(f());
  return h;
}

std::uint64_t regex(unsigned variant) {
  static constexpr std::array patterns = {"(a|b)*c+", "[a-f]{2,4}(x|y)?\\d+", "^(\\w+)-(\\d+)$"};
  std::regex const r(patterns[variant % patterns.size()]);
  std::string const text = "ababccc abcdx12 word-" + std::to_string(variant);
  std::smatch m;
  std::regex_search(text, m, r);
  return hash_of(m.empty() ? "none" : m.str(0)) + hash_of(std::regex_replace(text, r, "<$&>"));
}

std::uint64_t streams(unsigned variant) {
  std::ostringstream out;
  for (unsigned i = 0; i < 4 + variant; ++i)
    out << i << ' ' << text_of(i) << ' ' << i * 0.25 << '\n';
  std::istringstream in(out.str());
  std::uint64_t h = 0;
  std::string word;
  while (in >> word) h = h * 31 + hash_of(word);
  in.clear();
  in.str(out.str());
  while (std::getline(in, word)) h = h * 31 + word.size();
  return h;
}

constexpr std::array all = {workload{"json", json}, workload{"containers", containers},
                            workload{"algorithms", algorithms}, workload{"regex", regex},
                            workload{"streams", streams}};

}  // namespace

std::span<workload const> parallel_workloads() noexcept { return all; }

}  // namespace memprof::test
