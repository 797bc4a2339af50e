// SPDX-License-Identifier: MIT
#include "model.hpp"

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <unistd.h>

#include "objects.hpp"

namespace stress {

constinit shared_state shared;

void fail(char const* format, ...) {
  char line[400];
  va_list arguments;
  va_start(arguments, format);
  const int length = std::vsnprintf(line, sizeof line - 1, format, arguments);
  va_end(arguments);
  const auto end = static_cast<std::size_t>(std::clamp(length, 0, int{sizeof line} - 2));
  line[end] = '\n';
  [[maybe_unused]] const auto written = write(STDERR_FILENO, line, end + 1);
  _exit(1);
}

namespace {

bool any_up_from(std::array<std::atomic<bool>, tokens> const& marks, int token) noexcept {
  constexpr int parents[tokens] = {-1, -1, 0, 2};
  for (; token >= 0; token = parents[token]) {
    if (marks[static_cast<std::size_t>(token)]) return true;
  }
  return false;
}

}  // namespace

bool is_set(int token) noexcept { return any_up_from(shared.token_set, token); }
bool may_be_set(int token) noexcept { return any_up_from(shared.token_may_be_set, token); }

namespace {

/// An interrupt waits for so many words at most where it could be raised: a token is looked at
/// every 1000 words, and another run may have charged a budget that much late.
constexpr std::int64_t latency = 1000;

/// Calls f(frame) for the frames of the context and of those that resume it.
template <class F>
void for_each_frame(context& c, F&& f) {
  for (context* at = &c; at != nullptr; at = at->monitor) {
    for (frame* i = at->innermost; i != nullptr; i = i->outer) {
      if (i->kind == frame_kind::scope) f(*i);
    }
  }
}

/// Calls f(account) once for each account that a block allocated here counts for.
template <class F>
void for_each_account(context& c, F&& f) {
  bool seen[budgets] = {};
  for_each_frame(c, [&](frame const& i) {
    if (i.live != nullptr) f(*i.live);
    if (i.budget < 0 || seen[i.budget]) return;
    seen[i.budget] = true;
    f(shared.budget[i.budget].live);
  });
}

void charge(context& c, std::int64_t low, std::int64_t high) {
  bool seen[budgets] = {};
  for_each_frame(c, [&](frame& i) {
    i.low += low;
    i.high += high;
    if (i.budget < 0 || seen[i.budget]) return;
    seen[i.budget] = true;
    shared.budget[i.budget].words.high += high;
    shared.budget[i.budget].words.low += low;
  });
}

/// What nobody granted is counted nowhere. But if the task paused in the request, and was then
/// cancelled, the scopes around its monitor keep it (memprof::task).
void uncharge(context& c, std::int64_t words) {
  const auto take = [&](context& of, std::int64_t high, bool(&seen)[budgets]) {
    for (frame* i = of.innermost; i != nullptr; i = i->outer) {
      if (i->kind != frame_kind::scope) continue;
      i->low -= words;
      i->high -= high;
      if (i->budget < 0 || seen[i->budget]) continue;
      seen[i->budget] = true;
      shared.budget[i->budget].words.low -= words;
      shared.budget[i->budget].words.high -= high;
    }
  };
  bool seen[budgets] = {};
  take(c, words, seen);
  for (context* m = c.monitor; m != nullptr; m = m->monitor) take(*m, 0, seen);
}

/// Whether so many words hit a limit on allocations.
bool reaches(frame const& f, std::int64_t words, std::int64_t limit) {
  return f.exact ? words * 8 > limit : words >= std::max<std::int64_t>(1, (limit + 7) / 8);
}

/// Whether it may have been hit by now.
bool may_be_hit(frame const& f) {
  const bool sampled_down = shared.rate < 1.0;
  if (f.time || f.global || (f.token >= 0 && may_be_set(f.token))) return true;
  if (f.allocations >= 0 && ((sampled_down && !f.exact) || reaches(f, f.high, f.allocations)))
    return true;
  if (f.memory >= 0 && (sampled_down || f.live->high * 8 > f.memory)) return true;
  if (f.budget < 0) return false;
  auto& b = shared.budget[f.budget];
  if ((b.limits.allocations > 0 &&
       (sampled_down || reaches(f, b.words.high, b.limits.allocations))) ||
      (b.limits.memory > 0 && (sampled_down || b.live.high * 8 > b.limits.memory))) {
    b.maybe_hit = true;
  }
  return b.maybe_hit;
}

/// Whether it must have been hit by what was granted just now, or refused to others before; or by a
/// request for `coming` words, which is charged and not live yet.
bool is_surely_hit(frame const& f, std::int64_t coming = 0) {
  const bool sampled_down = shared.rate < 1.0;
  if (f.allocations >= 0 && (f.exact || !sampled_down) && reaches(f, f.low, f.allocations))
    return true;
  return f.memory >= 0 && !sampled_down && (f.live->low + coming) * 8 > f.memory;
}

/// The live memory of budgets is what the model says, after each request.
void compare_budgets() {
  if (!shared.alone || shared.rate < 1.0) return;
  for (std::size_t i = 0; i < budgets; ++i) {
    auto const& b = shared.budget[i];
    if (b.unseen || b.limits.memory == 0 || b.live.low != b.live.high) continue;
    const std::int64_t words = made->budget[i]->live().value.count() / 8;
    if (words != b.live.low) {
      fail("budget %zu: now %lld words are live, it says %lld", i,
           static_cast<long long>(b.live.low), static_cast<long long>(words));
    }
  }
}

void look(context& c) {
  for_each_frame(c, [](frame& i) { i.maybe_hit = i.maybe_hit || may_be_hit(i); });
  // An inner limit cannot exceed what the outer one has left.
  bool allocations = false;
  bool memory = false;
  for (context* at = &c; at != nullptr; at = at->monitor) {
    for (frame* i = at->innermost; i != nullptr; i = i->outer) {
      allocations |= i->maybe_hit && (i->allocations >= 0 || i->budget >= 0);
      memory |= i->maybe_hit && (i->memory >= 0 || i->budget >= 0);
    }
  }
  for_each_frame(c, [&](frame& i) {
    i.maybe_hit |= (allocations && (i.allocations >= 0 || i.budget >= 0)) ||
                   (memory && (i.memory >= 0 || i.budget >= 0));
    if (i.maybe_hit && i.budget >= 0) shared.budget[i.budget].maybe_hit = true;
  });
}

/// Whether an interrupt of this scope was due before this request, and should not have waited.
bool is_overdue(frame const& f, std::int64_t words) {
  constexpr std::int64_t graces[] = {0, 10'000, 1'000};  // memprof::limits::grace
  if (f.obstructed) return false;
  if (f.deliveries > 0) {
    // An interrupt that was another scope's alone leaves this one the grace of before.
    const std::int64_t own = std::max<std::int64_t>(1, f.own_deliveries);
    const std::int64_t grace = own < 3 ? graces[own] : 0;
    return f.surely_hit && f.low - f.delivered_at > grace + 2 * words + latency;
  }
  return f.surely_hit || (f.token_seen_at >= 0 && f.low - words - f.token_seen_at > latency);
}

}  // namespace

request::request(context& c, std::int64_t words, point where, block* owned)
    : context_(c), words_(words), where_(where), owned_(owned) {
  for (int i = 0; i < tokens; ++i) set_before_[static_cast<std::size_t>(i)] = is_set(i);
  charge(c, words, words);
  for_each_account(c, [&](account& a) {
    a.high += words;
    if (owned == nullptr) return;
    if (owned->owner_count == block::most_owners) fail("the model has no room for so many owners");
    owned->owners[static_cast<std::size_t>(owned->owner_count++)] = &a;
  });
  look(c);
}

void request::granted() {
  granted_ = true;
  for_each_account(context_, [&](account& a) { a.low += words_; });
  for_each_frame(context_, [&](frame& i) {
    i.surely_hit = i.surely_hit || is_surely_hit(i);
    i.maybe_hit |= i.surely_hit;
  });
  look(context_);
  compare_budgets();
  bool reachable = context_.masks == 0;
  const int passed_now = context_.passed_scopes;
  bool any = false;
  for (frame* i = context_.innermost; i != nullptr; i = i->outer) {
    if (i->kind == frame_kind::barrier) reachable = false;
    if (i->kind != frame_kind::scope) continue;
    any |= where_ == point::delivery && reachable && is_overdue(*i, words_);
    if (i->token >= 0 && i->token_seen_at < 0 && set_before_[static_cast<std::size_t>(i->token)]) {
      i->token_seen_at = i->low;
    }
    if (where_ == point::delivery && reachable && is_overdue(*i, words_) && passed_now <= 0) {
      fail(
          "not interrupted: allocations %lld, memory %lld, token %d, charged %lld words, live %lld",
          static_cast<long long>(i->allocations), static_cast<long long>(i->memory), i->token,
          static_cast<long long>(i->low),
          static_cast<long long>(i->live != nullptr ? i->live->low.load() : 0));
    }
    // Attempts are spaced from now on.
    if (where_ != point::silent && !reachable && i->maybe_hit) i->obstructed = true;
  }
  if (any) --context_.passed_scopes;
  for (context* m = context_.monitor; m != nullptr; m = m->monitor) {
    for (frame* i = m->innermost; i != nullptr; i = i->outer) i->obstructed |= i->maybe_hit;
  }
}

request::~request() {
  if (granted_) return;
  look(context_);
  for_each_account(context_, [&](account& a) { a.high -= words_; });
  if (owned_ != nullptr) owned_->owner_count = 0;
  if (where_ == point::silent) fail("interrupted where nothing may be thrown");
  if (context_.masks > 0) fail("interrupted in a masked region");
  bool reason = context_.monitor != nullptr;  // its monitor may have cancelled it
  bool reachable = true;
  for (frame* i = context_.innermost; i != nullptr; i = i->outer) {
    if (i->kind == frame_kind::barrier) reachable = false;
    if (i->kind != frame_kind::scope || !i->maybe_hit) continue;
    reason |= reachable;
    ++i->deliveries;
    if (i->surely_hit || is_surely_hit(*i, words_)) ++i->own_deliveries;
    i->delivered_at = i->low - words_;
  }
  uncharge(context_, words_);
  if (!reason) fail("interrupted, although no limit can have been hit");
}

void begin_free(block const& b) noexcept {
  for (int i = 0; i < b.owner_count; ++i) b.owners[static_cast<std::size_t>(i)]->low -= b.words();
}
void end_free(block const& b) noexcept {
  for (int i = 0; i < b.owner_count; ++i) b.owners[static_cast<std::size_t>(i)]->high -= b.words();
}

void allocates_unseen(context& c, std::int64_t words, bool kept) {
  charge(c, 0, words);
  for_each_frame(c, [&](frame& i) {
    if (i.live != nullptr) i.live->high += words;
    if (i.budget < 0) return;
    auto& b = shared.budget[i.budget];
    if (kept) b.inexact = true;
    b.unseen = true;
    b.maybe_hit = true;
  });
  look(c);
}

bool may_throw(context const& c) noexcept {
  for (frame const* i = c.innermost; i != nullptr; i = i->outer) {
    if (i->kind == frame_kind::handler) return true;
    if (i->kind == frame_kind::barrier) return false;
  }
  return true;
}

void judge_error(frame const& f, memprof::interrupted const& error) {
  using enum memprof::limit_kind;
  const bool budget = f.budget >= 0;
  bool right = false;
  switch (error.kind()) {
    case allocations:
      right = f.allocations >= 0 || budget;
      break;
    case memory:
      right = f.memory >= 0 || budget;
      break;
    case token:
      right = f.token >= 0 && may_be_set(f.token);
      break;
    case deadline:
      right = f.time;
      break;
    case global_memory:
      right = f.global;
      break;
  }
  if (!right) fail("an error of a kind that the task has no limit of: %s", error.message().c_str());
  if (!f.maybe_hit && !may_be_hit(f)) {
    fail("an error, although the limit cannot have been hit: %s; charged at most %lld words",
         error.message().c_str(), static_cast<long long>(f.high));
  }
}

void judge_value(frame const& f) {
  if (f.surely_hit) {
    fail("a value, although the limit was hit: allocations %lld, memory %lld, charged %lld words",
         static_cast<long long>(f.allocations), static_cast<long long>(f.memory),
         static_cast<long long>(f.low));
  }
}

void judge_allocated(frame const& f, memprof::bytes allocated) {
  const std::int64_t words = allocated.count() / 8;
  if (words < f.low || words > f.high) {
    fail("a task allocated %lld words, its result says %lld", static_cast<long long>(f.low),
         static_cast<long long>(words));
  }
}

void judge_exception(frame const& f) {
  if (f.surely_hit) fail("an exception left a task whose limit was hit");
}

}  // namespace stress
