// SPDX-License-Identifier: MIT
#include "memprof/token.hpp"

#include <atomic>
#include <stop_token>

#include "memprof/limits.hpp"

#include "copies/copies.hpp"
#include "engine/engine.hpp"
#include "limits/limit_totals.hpp"

namespace memprof::inline v0 {
namespace detail {

/// Lives while a token or a child refers to it.
///
///  - `mark`: null while clear; then the reason, or `no_reason`. One atomic word, so that the flag
///    and its reason appear together.
struct token_state {
  std::atomic<std::uint32_t> references{1};
  std::atomic<char const*> mark{nullptr};
  token_state* parent = nullptr;
};

namespace {

static_assert(std::atomic<char const*>::is_always_lock_free, "tokens are set in signal handlers");

constexpr char no_reason[] = "";

}  // namespace

token_state* make_token_state(token_state* parent) {
  if (auto const* const other = copies::other()) return other->make_token_state(parent);
  const engine::muted_section muted;  // a token is not charged to its task
  auto* state = new token_state;
  state->parent = parent;
  limit_totals.tokens.fetch_add(1, std::memory_order_relaxed);
  return state;
}

void drop_token_state(token_state* state) noexcept {
  if (auto const* const other = copies::other()) return other->drop_token_state(state);
  const engine::muted_section muted;
  while (state != nullptr && state->references.fetch_sub(1, std::memory_order_acq_rel) == 1) {
    token_state* parent = state->parent;
    delete state;
    limit_totals.tokens.fetch_sub(1, std::memory_order_relaxed);
    state = parent;
  }
}

namespace {

token_state* share(token_state* state) noexcept {
  if (state != nullptr) state->references.fetch_add(1, std::memory_order_relaxed);
  return state;
}

/// The mark of the nearest set generation; null if all are clear.
char const* find_mark(token_state const* state) noexcept {
  for (; state != nullptr; state = state->parent) {
    if (char const* mark = state->mark.load(std::memory_order_acquire)) return mark;
  }
  return nullptr;
}

char const* to_reason(char const* mark) noexcept { return mark == no_reason ? nullptr : mark; }

}  // namespace

stop_source stop_source_of(token const& t) noexcept {
  return {.object = &t,
          .is_set = [](void const* p) noexcept { return static_cast<token const*>(p)->is_set(); },
          .reason = [](void const* p) noexcept { return static_cast<token const*>(p)->reason(); }};
}

#if defined(__cpp_lib_jthread)
stop_source stop_source_of(std::stop_token const& t) noexcept {
  return {.object = &t,
          .is_set =
              [](void const* p) noexcept {
                return static_cast<std::stop_token const*>(p)->stop_requested();
              },
          .reason = nullptr};
}
#endif

}  // namespace detail

token::token() : state_(detail::make_token_state(nullptr)) {}
token::token(token const& other) noexcept : state_(detail::share(other.state_)) {}
token::~token() { detail::drop_token_state(state_); }

token token::child() const {
  token result(detail::make_token_state(state_));
  detail::share(state_);  // the child refers to it
  return result;
}

void token::set(char const* reason) noexcept {
  char const* clear = nullptr;
  state_->mark.compare_exchange_strong(clear, reason != nullptr ? reason : detail::no_reason,
                                       std::memory_order_acq_rel);
}

bool token::is_set() const noexcept { return detail::find_mark(state_) != nullptr; }

char const* token::reason() const noexcept { return detail::to_reason(detail::find_mark(state_)); }

}  // namespace memprof::inline v0
