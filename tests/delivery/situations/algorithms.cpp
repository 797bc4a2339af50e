// SPDX-License-Identifier: MIT
//
// Algorithms and ranges: the interrupt comes in what they are given to call.
#include <algorithm>
#include <iterator>
#include <map>
#include <numeric>
#include <ranges>
#include <string>
#include <vector>

#include "support/situation.hpp"

namespace {

using namespace memprof::test;

std::vector<std::string> texts() {
  std::vector<std::string> v;
  for (char c = 'z'; c >= 'a'; --c) v.emplace_back(50, c);
  return v;
}

bool less_by_allocating(std::string const& a, std::string const& b) {
  allocate();
  return a < b;
}

MEMPROF_SITUATION(std_sort_comparator, must_deliver) {
  auto v = texts();
  interrupt_next(10);
  std::sort(v.begin(), v.end(), less_by_allocating);
}

MEMPROF_SITUATION(std_sort_element_copy, must_deliver) {
  struct copied {
    copied(std::string t) : text(std::move(t)) {}
    copied(copied const& o) : text(o.text) {}
    copied& operator=(copied const&) = default;
    std::string text;
    witness here;
    bool operator<(copied const& o) const { return text < o.text; }
  };
  std::vector<copied> v;
  v.reserve(26);
  for (auto const& t : texts()) v.emplace_back(t);
  interrupt_next(7);
  std::sort(v.begin(), v.end());
}

// Its buffer comes from nothrow new, which in libstdc++ swallows std::bad_alloc. (memprof's own
// never raises an interrupt.)
MEMPROF_SITUATION(stable_sort_nothrow_buffer, either) {
  auto v = texts();
  interrupt_next();
  std::stable_sort(v.begin(), v.end());
}

MEMPROF_SITUATION(stable_sort_comparator, must_deliver) {
  auto v = texts();
  interrupt_next(10);
  std::stable_sort(v.begin(), v.end(), less_by_allocating);
}

MEMPROF_SITUATION(nothrow_new_direct, either) {
  interrupt_next();
  ::operator delete(::operator new(10, std::nothrow));
}

MEMPROF_SITUATION(ranges_sort_projection, must_deliver) {
  auto v = texts();
  interrupt_next(10);
  std::ranges::sort(v, {}, [](std::string const& s) { return s + s; });
}

MEMPROF_SITUATION(ranges_pipeline, must_deliver) {
  auto const v = texts();
  interrupt_next(5);
  auto view = v | std::views::transform([](std::string const& s) { return s + "!"; }) |
              std::views::filter([](std::string const& s) { return s.size() > 3; });
  std::size_t n = 0;
  for (auto const& s : view) n += s.size();
  asm volatile("" ::"r"(n));
}

MEMPROF_SITUATION(transform_back_inserter, must_deliver) {
  auto const v = texts();
  std::vector<std::string> out;
  interrupt_next(8);
  std::transform(v.begin(), v.end(), std::back_inserter(out),
                 [](std::string const& s) { return s + s; });
}

MEMPROF_SITUATION(accumulate_strings, must_deliver) {
  auto const v = texts();
  interrupt_next(5);
  auto const all = std::accumulate(v.begin(), v.end(), std::string());
}

MEMPROF_SITUATION(for_each_noexcept_callback, must_defer) {
  auto const v = texts();
  std::for_each(v.begin(), v.end(), [](std::string const&) noexcept { interruption(); });
}

MEMPROF_SITUATION(map_comparator, must_deliver) {
  std::map<std::string, int, bool (*)(std::string const&, std::string const&)> m(
      less_by_allocating);
  for (auto const& t : texts()) m[t] = 1;
  interrupt_next(2);
  m.find(std::string(50, 'k'));
}

MEMPROF_SITUATION(partition_copy, must_deliver) {
  auto const v = texts();
  std::vector<std::string> small;
  std::vector<std::string> large;
  interrupt_next(12);
  std::partition_copy(v.begin(), v.end(), std::back_inserter(small), std::back_inserter(large),
                      [](std::string const& s) { return s[0] < 'm'; });
}

}  // namespace
