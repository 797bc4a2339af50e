// SPDX-License-Identifier: MIT
//
// The standard containers, strings and smart pointers.
#include <deque>
#include <forward_list>
#include <list>
#include <map>
#include <memory>
#include <memory_resource>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "support/situation.hpp"

namespace {

using namespace memprof::test;

std::string long_text(char c = 'x') { return std::string(100, c); }

/// Copies by allocating, and says if its destructor was not run.
struct tracked {
  tracked() = default;
  tracked(tracked const& other) : here(other.here), text(other.text) {}
  tracked& operator=(tracked const&) = default;
  witness here;
  std::string text = long_text();
};

MEMPROF_SITUATION(vector_realloc_buffer, must_deliver) {
  std::vector<int> v(10);
  interrupt_next();
  v.resize(1000);
  asm volatile("" : : "r"(v.data()) : "memory");  // not to be left out
}

MEMPROF_SITUATION(vector_copy_elements, must_deliver) {
  std::vector<tracked> const v(10);
  interrupt_next(5);
  std::vector<tracked> const copy = v;
}

MEMPROF_SITUATION(vector_grow_by_copies, must_deliver) {
  std::vector<tracked> v(10);
  v.shrink_to_fit();
  interrupt_next(5);
  v.emplace_back();
}

MEMPROF_SITUATION(vector_insert_range, must_deliver) {
  std::vector<tracked> v(3);
  std::vector<tracked> const more(5);
  interrupt_next(4);
  v.insert(v.begin() + 1, more.begin(), more.end());
}

MEMPROF_SITUATION(vector_of_strings_copy, must_deliver) {
  std::vector<std::string> const v(10, long_text());
  interrupt_next(5);
  std::vector<std::string> const copy = v;
}

MEMPROF_SITUATION(map_insert, must_deliver) {
  std::map<int, tracked> m;
  m[1];
  interrupt_next();
  m[2];
}

MEMPROF_SITUATION(map_copy_inner, must_deliver) {
  std::map<int, tracked> m;
  for (int i = 0; i < 10; ++i) m[i];
  interrupt_next(6);
  auto const copy = m;
}

MEMPROF_SITUATION(unordered_map_insert_key_copy, must_deliver) {
  std::unordered_map<std::string, tracked> m;
  auto const key = long_text();
  interrupt_next(2);  // the node, then the key
  m[key];
}

MEMPROF_SITUATION(unordered_map_rehash, must_deliver) {
  std::unordered_map<int, tracked> m;
  for (int i = 0; i < 10; ++i) m[i];
  interrupt_next();
  m.rehash(1000);
}

MEMPROF_SITUATION(unordered_map_copy, must_deliver) {
  std::unordered_map<int, tracked> m;
  for (int i = 0; i < 10; ++i) m[i];
  interrupt_next(6);
  auto const copy = m;
}

MEMPROF_SITUATION(list_deque_set, must_deliver) {
  std::list<tracked> l(3);
  std::deque<tracked> d(3);
  std::set<std::string> s;
  l.emplace_back();
  d.emplace_front();
  interrupt_next(2);
  s.insert(long_text('a'));
}

MEMPROF_SITUATION(deque_copy, must_deliver) {
  std::deque<tracked> const d(20);
  interrupt_next(10);
  auto const copy = d;
}

MEMPROF_SITUATION(list_copy, must_deliver) {
  std::list<tracked> const l(10);
  interrupt_next(9);
  auto const copy = l;
}

MEMPROF_SITUATION(forward_list_assign, must_deliver) {
  std::forward_list<tracked> l(3);
  interrupt_next(5);
  l.assign(10, tracked());
}

MEMPROF_SITUATION(make_shared_ctor, must_deliver) {
  interrupt_next(2);
  auto const p = std::make_shared<tracked>();
}

MEMPROF_SITUATION(shared_ptr_control_block, must_deliver) {
  auto* const raw = new tracked;
  interrupt_next();
  std::shared_ptr<tracked> const p(raw);
}

MEMPROF_SITUATION(unique_ptr_deleter, must_defer) {
  auto const deleter = [](int* p) {
    interruption();
    delete p;
  };
  std::unique_ptr<int, decltype(deleter)> const p(new int(1), deleter);
}

MEMPROF_SITUATION(shared_ptr_deleter, must_defer) {
  std::shared_ptr<int> const p(new int(1), [](int* i) {
    interruption();
    delete i;
  });
}

struct noexcept_hash {
  std::size_t operator()(std::string const& s) const noexcept {
    interruption();
    return s.size();
  }
};
struct plain_hash {
  std::size_t operator()(std::string const& s) const {
    interruption();
    return s.size();
  }
};

MEMPROF_SITUATION(hash_noexcept_functor, must_defer) {
  std::unordered_map<std::string, int, noexcept_hash> m;
  m["a"] = 1;
}

MEMPROF_SITUATION(hash_plain_functor, must_deliver) {
  std::unordered_map<std::string, int, plain_hash> m;
  m["a"] = 1;
}

MEMPROF_SITUATION(string_append, must_deliver) {
  std::string s = long_text();
  s.shrink_to_fit();
  interrupt_next();
  s.append(1000, 'y');
}

MEMPROF_SITUATION(pmr_monotonic_buffer, must_deliver) {
  std::pmr::monotonic_buffer_resource memory(16);
  std::pmr::vector<int> v(&memory);
  interrupt_next();
  v.resize(1000);
}

MEMPROF_SITUATION(pmr_pool, must_deliver) {
  std::pmr::unsynchronized_pool_resource memory;
  std::pmr::map<int, std::pmr::string> m(&memory);
  m.emplace(1, "one");
  interrupt_next();
  m.emplace(2, std::pmr::string(5000, 'x'));
}

}  // namespace
