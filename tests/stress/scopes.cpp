// SPDX-License-Identifier: MIT
#include "scopes.hpp"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <type_traits>

#include "memprof/memprof.hpp"

#include "objects.hpp"

namespace stress {
namespace {

/// Room for the live memory of scopes, which outlives them.
constexpr std::size_t most_scopes = std::size_t{1} << 15;
account accounts[most_scopes];
std::atomic<std::size_t> accounts_used{0};

/// Judges a scope that an exception leaves.
class left_by_exception {
 public:
  explicit left_by_exception(frame const& f) : frame_(f) {}
  ~left_by_exception() {
    if (!returned) judge_exception(frame_);
  }
  left_by_exception(left_by_exception const&) = delete;
  left_by_exception& operator=(left_by_exception const&) = delete;
  bool returned = false;

 private:
  frame const& frame_;
};

template <class T>
void judge(frame const& f, memprof::result<T> const& r) {
  if (!r) return judge_error(f, r.error());
  judge_value(f);
  if constexpr (!std::is_void_v<T>) judge_allocated(f, r->allocated);
}

memprof::limits limits_of(frame const& f) {
  memprof::limits l;
  if (f.allocations >= 0) l.allocations = memprof::bytes{f.allocations};
  if (f.memory >= 0) l.memory = memprof::bytes{f.memory};
  if (f.token >= 0) l.token = made->token[static_cast<std::size_t>(f.token)];
  if (f.exact) l.count = memprof::counting::exact;
  return l;
}

/// What runs in a scope: enter(task) calls the limit function.
template <class Enter>
void in_scope(context& c, op const& o, frame& f, Enter&& enter) {
  if (f.memory >= 0) {
    const std::size_t index = accounts_used.fetch_add(1);
    if (index >= most_scopes) return;
    f.live = &accounts[index];
  }
  left_by_exception judged(f);
  const bool set_before = f.token >= 0 && is_set(f.token);
  f.maybe_hit =
      set_before || f.time || f.global || (f.budget >= 0 && shared.budget[f.budget].maybe_hit);
  bool ran = false;
  auto const r = enter([&] {
    ran = true;
    const entered here(c, f);
    run(c, o.body);
  });
  judged.returned = true;
  if (set_before && (ran || r)) fail("a task ran although its token was set");
  judge(f, r);
}

}  // namespace

void run_scope(context& c, op const& o) {
  frame f;
  auto const& a = o.arguments;
  switch (o.kind) {
    case op_kind::allocations:
      f.allocations = a[0];
      return in_scope(c, o, f, [&](auto&& task) {
        return memprof::limit_allocations(memprof::bytes{a[0]}, task);
      });
    case op_kind::memory:
      f.memory = a[0];
      return in_scope(
          c, o, f, [&](auto&& task) { return memprof::limit_memory(memprof::bytes{a[0]}, task); });
    case op_kind::token:
      f.token = static_cast<int>(a[0]);
      return in_scope(c, o, f, [&](auto&& task) {
        return memprof::limit_with_token(made->token[static_cast<std::size_t>(a[0])], task);
      });
    case op_kind::time:
      f.time = true;
      return in_scope(c, o, f, [&](auto&& task) {
        return memprof::limit_time(std::chrono::microseconds{a[0]}, task);
      });
    case op_kind::global:
      f.global = true;
      return in_scope(c, o, f, [&](auto&& task) { return memprof::limit_global_memory(task); });
    case op_kind::budget:
      f.budget = static_cast<int>(a[0]);
      return in_scope(c, o, f, [&](auto&& task) {
        return made->budget[static_cast<std::size_t>(a[0])]->run(task);
      });
    case op_kind::all:
      f.memory = a[1];
      f.token = static_cast<int>(a[2]);
      [[fallthrough]];
    default:  // exactly
      f.allocations = a[0];
      f.exact = o.kind == op_kind::exactly;
      return in_scope(c, o, f,
                      [&](auto&& task) { return memprof::run_limited(limits_of(f), task); });
  }
}

}  // namespace stress
