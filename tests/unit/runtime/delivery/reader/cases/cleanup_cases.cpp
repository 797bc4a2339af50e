// SPDX-License-Identifier: MIT
// Cleanups: those of the language and of the library, few and hundreds.
#include <array>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

#include "frame_cases.hpp"

namespace frame_cases {
namespace {

void no_cleanups() { arrive(); }

void cleanups() {
  const guard a{1};
  arrive();
  const guard b{2};
  look_at(&a);
}

void strings_and_pointers() {
  const std::string s(100, 'x');
  auto p = std::make_unique<int>(1);
  const std::shared_ptr<std::string> q = std::make_shared<std::string>("shared");
  std::vector<std::string> v(3, "some text that is not short enough");
  arrive();
  look_at(&s);
  look_at(&p);
  look_at(&q);
  look_at(&v);
}

void containers() {
  std::map<int, std::string> m{{1, "one"}, {2, "two"}};
  std::unordered_map<std::string, std::vector<int>> u{{"a", {1, 2}}};
  std::optional<std::string> o = "optional";
  std::variant<int, std::string, std::vector<int>> w = std::string("variant");
  arrive();
  look_at(&m);
  look_at(&u);
  look_at(&o);
  look_at(&w);
}

void locks() {
  std::mutex a;
  std::mutex b;
  const std::lock_guard<std::mutex> l{a};
  std::unique_lock<std::mutex> u{b};
  arrive();
  u.unlock();
}

void deferred_future() {
  auto f = std::async(std::launch::deferred, [] { return 1; });
  arrive();
  look_at(&f);
}

void array_of_objects() {
  const guard a[5] = {guard{1}, guard{2}, guard{3}, guard{4}, guard{5}};
  arrive();
  look_at(&a);
}

struct constructs_third {
  constructs_third() : number(++constructed) {
    if (number == 3) arrive();
  }
  ~constructs_third() { look_at(this); }
  int number;
  static inline int constructed = 0;
};
void array_new() {
  constructs_third::constructed = 0;
  const auto p = std::make_unique<constructs_third[]>(5);
  look_at(p.get());
}

struct calls_in_constructor {
  calls_in_constructor() { arrive(); }
  ~calls_in_constructor() { look_at(this); }
};
void static_local() {
  static calls_in_constructor s;
  look_at(&s);
}

void member_of_vector() {
  std::vector<std::unique_ptr<calls_in_constructor>> v;
  v.push_back(std::make_unique<calls_in_constructor>());
}

struct copies {
  copies() = default;
  copies(copies const& other) : text(other.text) { arrive(); }
  copies& operator=(copies const&) = default;
  std::string text = "text that is too long for the small buffer";
};
void copy_of_vector() {
  const std::vector<copies> v(3);
  const std::vector<copies> w = v;
  look_at(&w);
}
void copy_of_map() {
  const std::map<int, copies> v{{1, {}}, {2, {}}};
  look_at(&v);
}
void growing_vector() {
  std::vector<copies> v(1);
  v.resize(9);
}

struct alignas(64) aligned {
  std::array<char, 64> c{};
};
void aligned_frame() {
  aligned a;
  const guard g{1};
  arrive();
  look_at(&a);
}

template <std::size_t n>
struct many {
  std::string s = std::string(n % 40, 'x');
  many<n - 1> rest;
};
template <>
struct many<0> {};

void hundreds_of_members() {
  many<200> m;
  arrive();
  look_at(&m);
}

#define TEN_STRINGS(name)                                                                      \
  const std::string name##0(10, '0'), name##1(20, '1'), name##2(30, '2'), name##3(40, '3'),    \
      name##4(50, '4'), name##5(60, '5'), name##6(70, '6'), name##7(80, '7'), name##8(9, '8'), \
      name##9(10, '9');                                                                        \
  look_at(&name##0)

void hundreds_of_locals() {
  TEN_STRINGS(a);
  TEN_STRINGS(b);
  TEN_STRINGS(c);
  TEN_STRINGS(d);
  TEN_STRINGS(e);
  TEN_STRINGS(f);
  TEN_STRINGS(g);
  TEN_STRINGS(h);
  TEN_STRINGS(i);
  TEN_STRINGS(j);
  try {
    TEN_STRINGS(k);
    TEN_STRINGS(l);
    TEN_STRINGS(m);
    TEN_STRINGS(n);
    arrive();
  } catch (int) {
    TEN_STRINGS(o);
  }
  TEN_STRINGS(p);
}

void hundreds_under_noexcept() noexcept { hundreds_of_locals(); }

struct terminates_in_destructor {  // or so it looks
  ~terminates_in_destructor() {
    if (!is_true()) std::terminate();
  }
};
void destructor_terminates() {
  const terminates_in_destructor t;
  arrive();
  look_at(&t);
}

[[gnu::noinline]] void long_work() {
  asm volatile(
      ".rept 6000\n"
      "nop\n"
      ".endr");
}
struct works_long {
  ~works_long() { long_work(); }
  int of = 0;
};
void long_work_ten_times() {  // 60,000 instructions are read for a frame
  const works_long a, b, c, d, e, f, g, h, i, j;
  arrive();
  for (works_long const* w : {&a, &b, &c, &d, &e, &f, &g, &h, &i, &j}) look_at(w);
}

constexpr frame_case cases[] = {
    {"no cleanups", no_cleanups},
    {"cleanups", cleanups},
    {"strings and pointers", strings_and_pointers},
    {"containers", containers},
    {"locks", locks},
    {"deferred future", deferred_future},
    {"array of objects", array_of_objects},
    {"array new", array_new},
    {"static local", static_local},
    {"constructor in make_unique", member_of_vector},
    {"copying a vector", copy_of_vector},
    {"copying into a map", copy_of_map},
    {"growing a vector", growing_vector},
    {"aligned frame", aligned_frame},
    {"hundreds of members", hundreds_of_members},
    {"hundreds of locals", hundreds_of_locals},
    {"hundreds of locals under noexcept", hundreds_under_noexcept},
    {"a long function in ten cleanups", long_work_ten_times},
    {"a destructor that might terminate", destructor_terminates},
};

}  // namespace

frame_list cleanup_cases() { return list_of(cases); }

}  // namespace frame_cases
