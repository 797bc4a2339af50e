// SPDX-License-Identifier: MIT
//
// std::function, variant, any, tuple and their like.
#include <any>
#include <functional>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <version>

#include "support/situation.hpp"

namespace {

using namespace memprof::test;

struct tracked {
  tracked() = default;
  tracked(tracked const& other) : here(other.here), text(other.text) {}
  tracked& operator=(tracked const&) = default;
  witness here;
  std::string text = std::string(100, 'x');
};

MEMPROF_SITUATION(std_function_call, must_deliver) {
  tracked const t;
  std::function<void()> const f = [t] { interruption(); };
  f();
}

MEMPROF_SITUATION(std_function_copy, must_deliver) {
  tracked const t;
  std::function<void()> const f = [t] { allocate(); };
  interrupt_next(2);
  auto const copy = f;
}

#if defined(__cpp_lib_move_only_function)
MEMPROF_SITUATION(move_only_function_call, must_deliver) {
  std::move_only_function<void()> f = [t = tracked()] { interruption(); };
  f();
}

#if !defined(__clang__) || __clang_major__ >= 19  // clang 16 to 18 do not compile it with libstdc++
MEMPROF_SITUATION(move_only_function_noexcept_call, must_defer) {
  std::move_only_function<void() noexcept> f = []() noexcept { interruption(); };
  f();
}
#endif
#endif

MEMPROF_SITUATION(bind_and_invoke, must_deliver) {
  auto const f = std::bind_front([](tracked const&, int) { interruption(); }, tracked());
  std::invoke(f, 1);
}

MEMPROF_SITUATION(std_visit, must_deliver) {
  std::variant<int, tracked> v{tracked()};
  std::visit([](auto const&) { interruption(); }, v);
}

MEMPROF_SITUATION(variant_emplace_valueless, must_deliver) {
  std::variant<int, tracked> v{1};
  interrupt_next();
  v.emplace<tracked>();
}

MEMPROF_SITUATION(optional_any, must_deliver) {
  std::optional<tracked> o;
  o.emplace();
  std::any a = *o;
  interrupt_next(2);
  std::any const copy = a;
}

MEMPROF_SITUATION(tuple_cat_strings, must_deliver) {
  std::tuple<tracked, tracked> const t;
  interrupt_next(3);
  auto const both = std::tuple_cat(t, t);
}

MEMPROF_SITUATION(apply_tuple, must_deliver) {
  std::apply([](tracked const&, int) { interruption(); }, std::tuple<tracked, int>());
}

MEMPROF_SITUATION(exchange_and_swap, must_deliver) {
  tracked a;
  tracked b;
  interrupt_next(1);
  std::swap(a, b);
}

MEMPROF_SITUATION(stoi_to_string, must_deliver) {
  std::string const digits = "1234567890123456789012345678901234567890";
  interrupt_next();
  auto const text = std::to_string(std::stoi("42")) + digits;
}

}  // namespace
