// SPDX-License-Identifier: MIT
// Library: libstdc++
// Package: libstdc++-12-dev|libstdc++-14-dev
#include <algorithm>
#include <any>
#include <deque>
#include <filesystem>
#include <forward_list>
#include <future>
#include <list>
#include <map>
#include <memory_resource>
#include <numeric>
#include <regex>
#include <set>
#include <sstream>
#include <unordered_map>
#include <variant>

#include "standard_filling.hpp"
#include "survey.hpp"

using containers::fill_map;
using containers::fill_sequence;
using containers::text;

int main(int count, char** arguments) {
  containers::survey s(count, arguments);
  char const* const sequence = "push_back, insert, copy, erase";
  using vector = std::vector<std::string>;
  using deque = std::deque<std::string>;
  using list = std::list<std::string>;
  using map = std::map<std::string, std::string>;
  using unordered = std::unordered_map<std::string, std::string>;
  s.container<vector>("std::vector", sequence, fill_sequence<vector>);
  s.container<deque>("std::deque", sequence, fill_sequence<deque>);
  s.container<list>("std::list", sequence, fill_sequence<list>);
  s.container<map>("std::map", "operator[], copy, erase", fill_map<map>);
  s.container<unordered>("std::unordered_map", "operator[], copy, erase", fill_map<unordered>);
  s.container<std::string>("std::string", "append, insert", [](std::string& c) {
    for (int i = 0; i < 40; ++i) c.append(text(i));
    c.insert(5, text(1));
  });
  s.container<vector>("std::stable_sort, inplace_merge", "calls", [](vector& c) {
    for (int i = 0; i < 20; ++i) c.push_back(text(i * 7 % 20));
    std::stable_sort(c.begin(), c.end());
    std::inplace_merge(c.begin(), c.begin() + 9, c.end());
  });
  s.function("std::regex", "construct, search", [] {
    std::regex const e("(a|b)*c{2,3}([x-z]+)");
    std::smatch m;
    std::string const where = "ababccxyz";
    CHECK(std::regex_search(where, m, e));
  });
  s.function("std::ostringstream, istringstream", "insert, extract", [] {
    std::ostringstream out;
    for (int i = 0; i < 20; ++i) out << text(i) << ' ' << i << ' ';
    std::istringstream in(out.str());
    std::string word;
    while (in >> word) {
    }
  });
  s.function("std::promise, future, shared_ptr", "set, get", [] {
    std::promise<std::shared_ptr<std::string>> p;
    auto f = p.get_future();
    p.set_value(std::make_shared<std::string>(text(1)));
    CHECK(f.get()->size() > 30);
  });
  s.function("std::any, variant, function", "assign, copy", [] {
    std::any a = text(1);
    std::any const b = a;
    std::variant<int, std::string> v = 1;
    v = text(2);
    auto const w = v;
    std::function<std::string()> const f = [x = text(3), y = text(4)] { return x + y; };
    std::function<std::string()> const g = f;
    CHECK(g().size() > 60 && w.index() == 1);
  });
  s.function("std::filesystem::path", "append, normalise", [] {
    std::filesystem::path p = "/a/b/../";
    for (int i = 0; i < 5; ++i) p /= text(i);
    CHECK(p.lexically_normal().has_parent_path());
  });
  s.function("std::pmr::unordered_map", "over a pool", [] {
    std::pmr::unsynchronized_pool_resource pool;
    std::pmr::unordered_map<int, std::pmr::string> m(&pool);
    for (int i = 0; i < 60; ++i) m.emplace(i, text(i).c_str());
  });
  return s.run();
}
