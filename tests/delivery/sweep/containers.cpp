// SPDX-License-Identifier: MIT
#include <deque>
#include <list>
#include <map>
#include <memory>
#include <memory_resource>
#include <queue>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "support/require.hpp"
#include "support/situation.hpp"

namespace {

using memprof::test::require;
using memprof::test::witness;

struct item {
  explicit item(int n) : number(n), text(40, static_cast<char>('a' + n % 26)) {}
  item(item const& other) : number(other.number), text(other.text) {}
  item& operator=(item const&) = default;
  int number;
  std::string text;
  witness here;
  bool operator<(item const& other) const { return number < other.number; }
};

MEMPROF_SITUATION(sequences, either) {
  std::vector<item> v;
  std::deque<item> d;
  std::list<item> l;
  for (int i = 0; i < 12; ++i) {
    v.emplace_back(i);
    d.emplace_front(i);
    l.emplace_back(i);
  }
  v.insert(v.begin() + 3, d.begin(), d.begin() + 4);
  d.insert(d.begin() + 2, l.begin(), l.end());
  l.splice(l.begin(), std::list<item>(d.begin(), d.begin() + 5));
  auto const copy = v;
  require(copy.size() == 16 && d.size() == 24 && l.size() == 17, "sequences");
}

MEMPROF_SITUATION(trees_and_hashes, either) {
  std::map<std::string, item> m;
  std::multiset<item> s;
  std::unordered_map<std::string, std::vector<item>> u;
  for (int i = 0; i < 15; ++i) {
    std::string const key(30, static_cast<char>('a' + i % 10));
    m.emplace(key, item(i));
    s.emplace(i % 4);
    u[key].emplace_back(i);
  }
  auto const copy = m;
  auto const hashes = u;
  u.rehash(500);
  require(copy.size() == 10 && s.size() == 15 && hashes.size() == u.size(), "trees and hashes");
}

struct node : std::enable_shared_from_this<node> {
  explicit node(std::shared_ptr<node> n) : next(std::move(n)), text(50, 'x') {}
  std::shared_ptr<node> next;
  std::string text;
  witness here;
};

MEMPROF_SITUATION(pointers, either) {
  std::shared_ptr<node> first;
  std::vector<std::weak_ptr<node>> all;
  for (int i = 0; i < 10; ++i) {
    first = std::make_shared<node>(first);
    all.push_back(first->weak_from_this());
  }
  std::shared_ptr<node> const owned(new node(nullptr), [](node* n) { delete n; });
  auto const array = std::make_unique<std::unique_ptr<node>[]>(4);
  for (int i = 0; i < 4; ++i) array[static_cast<std::size_t>(i)] = std::make_unique<node>(owned);
  require(all.front().lock() != nullptr, "pointers");
}

MEMPROF_SITUATION(memory_resources, either) {
  std::pmr::unsynchronized_pool_resource pool;
  std::pmr::monotonic_buffer_resource buffer(64, &pool);
  std::pmr::map<int, std::pmr::string> m(&pool);
  std::pmr::vector<std::pmr::string> v(&buffer);
  for (int i = 0; i < 20; ++i) {
    m.emplace(i, std::pmr::string(static_cast<std::size_t>(i) * 20, 'x'));
    v.emplace_back(50, 'y');
  }
  std::priority_queue<item> q;
  for (int i = 0; i < 8; ++i) q.push(item(i * 7 % 5));
  require(m.size() == 20 && v.size() == 20 && q.top().number == 4, "memory resources");
}

}  // namespace
