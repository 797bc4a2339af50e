// SPDX-License-Identifier: MIT
#include "limits/check.hpp"

#include <algorithm>
#include <exception>
#include <optional>

#include "memprof/detail/sample_count.hpp"

#include "limits/adaptive_rate.hpp"
#include "limits/confidence_check.hpp"
#include "limits/global_limit.hpp"
#include "limits/limit_totals.hpp"
#include "limits/reasons.hpp"
#include "limits/scope.hpp"
#include "limits/soft_limits.hpp"
#include "limits/stops.hpp"
#include "limits/suspension.hpp"

namespace memprof::inline v0::detail {
namespace {

/// The event being checked.
struct observation {
  engine::event const& event;
  bool may_call_out;
  std::int64_t impossible = 0;   ///< words requested, if no allocator could provide them
  double charged = 0.0;          ///< words, by samples at the limits' rate
  engine::contribution live{};   ///< what the block would add to live memory; 0 if not sampled
  engine::contribution major{};  ///< the same to the major heap
  std::optional<global_state> process = {};  ///< once a scope has asked
  bool found = false;                        ///< a limit that it hits
  bool contended = false;  ///< over the process's limit, and another task may be the victim
  bool changed = false;    ///< a stop or a raised limit: the chain must be summarised again

  [[nodiscard]] std::int64_t major_bytes() const noexcept { return major.rounded().weight; }
};

/// The bytes of the block to come, as they count.
std::int64_t bytes_to_come(observation const& o) noexcept {
  return (o.event.words() + o.impossible) * 8;
}

void find(observation& o, scope& s, limit_kind kind, std::int64_t limit, std::int64_t measured,
          std::int64_t asked, bool by_budget = false) noexcept {
  if (s.hit.happened || s.hit.found.any) return;
  if (s.hit.stopping && pauses_instead(s)) return;  // another limit has already stopped it
  s.hit.find({true, by_budget, kind, limit, measured, asked});
  o.found = true;
}

/// An inner limit cannot exceed what the outer one has left: where `s` is hit, so are the limits of
/// the same kind inside it. Not those of a task that can pause: it may be resumed elsewhere.
void find_inner(observation& o, scope const& s, limit_kind kind) noexcept {
  if (pauses_instead(s)) return;
  for (scope* i = s.inner; i != nullptr && i->request.pausable == nullptr; i = i->inner) {
    const std::int64_t own =
        kind == limit_kind::memory ? i->counted.memory_limit : i->counted.allocations_limit;
    if (own == unlimited || i->hit.happened) continue;
    const std::int64_t measured = own_amount(*i, kind);
    find(o, *i, kind, std::min(own, measured), measured, bytes_to_come(o));
  }
}

/// Whether words counted by samples have reached the limit. The k-th sample decides, (3), not the
/// last digit of k S.
bool reaches(double sampled_words, std::int64_t limit) noexcept {
  return sampled_words >= statistics::charge_threshold(limit, this_thread_limits.per_word);
}

/// The common part of all amounts. Soft limits come first, because they may raise the limit.
/// is_over(limit) decides whether the scope must be interrupted.
template <class IsOver>
void judge(observation& o, scope& s, limit_kind kind, std::int64_t limit,
           engine::sampled_amount const& amount, IsOver&& is_over) noexcept {
  if (o.may_call_out && !s.request.soft.empty() && !s.pending()) {
    limit = call_soft_limits(s, kind, limit, amount);
    o.changed = true;
  }
  if (!is_over(limit)) return;
  const auto whole = static_cast<std::int64_t>(std::min(amount.value, 9.2e18));
  find(o, s, kind, limit, whole, bytes_to_come(o), s.request.shared != nullptr);
  find_inner(o, s, kind);
}

/// An amount in which every word is counted.
engine::sampled_amount exact_amount(words w) noexcept {
  return {.value = static_cast<double>(bytes{w}.count()), .unit = 8.0};
}

void check_allocations(observation& o, scope& s) noexcept {
  shared_account* const shared = s.request.shared;
  const bool charged = charged_by_inner(s);  // a run within a run of the same budget
  std::int64_t counted = o.event.after() - s.counted.start_position;
  if (shared != nullptr) {
    counted = charge_budget(s, o.event.after(), charged);
    if (s.exact()) o.changed = true;  // the next event comes the sooner the less is left
  }
  if (s.exact()) {
    if (s.counted.allocations_limit == unlimited) return;
    if (shared == nullptr && o.event.after() <= s.chain.wakeup && o.impossible == 0) return;
    const engine::sampled_amount amount = exact_amount(memprof::words{counted + o.impossible});
    judge(o, s, limit_kind::allocations, s.counted.allocations_limit, amount,
          [&](std::int64_t limit) { return amount.value > static_cast<double>(limit); });
    return;
  }
  if (o.charged == 0.0 && o.impossible == 0) return;
  double words = this_thread_limits.charged - s.counted.start_charged;
  if (shared != nullptr) {
    const double added = charged ? 0.0 : o.charged;
    words = shared->sampled_words.fetch_add(added, std::memory_order_relaxed) + added;
  }
  if (s.counted.allocations_limit == unlimited) return;
  words += static_cast<double>(o.impossible);
  judge(o, s, limit_kind::allocations, s.counted.allocations_limit,
        engine::amount_of_samples(words / this_thread_limits.interval,
                                  this_thread_limits.interval * 8.0),
        [&](std::int64_t limit) {
          return reaches(words, limit) && is_surely_beyond(s, limit, words);
        });
}

void check_memory(observation& o, scope& s) noexcept {
  if (s.counted.memory_limit == unlimited || !(o.live.weight > 0)) return;
  engine::account const& a = live_account_of(s);
  const engine::sampled_amount amount = engine::amount_of(a, o.live);
  const bool risky = s.request.false_interrupt_probability.has_value();
  const std::uint64_t look = risky ? next_memory_look(s) : 0;
  judge(o, s, limit_kind::memory, s.counted.memory_limit, amount, [&](std::int64_t limit) {
    return amount.value > static_cast<double>(limit) &&
           is_surely_over(s, limit, engine::amount_of(a), bytes_to_come(o), look);
  });
}

/// Every enclosing scope under the process's limit sees it, not the innermost alone.
void hit_global(observation& o) noexcept {
  for (scope* g = this_thread_limits.innermost; g != nullptr; g = g->outer) {
    if (g->request.global_memory) {
      find(o, *g, limit_kind::global_memory, o.process->limit, o.process->measured,
           bytes_to_come(o));
    }
  }
}

global_state ask(observation const& o) noexcept {
  return o.impossible > 0 ? look_at_global(o.major_bytes()) : ask_global(o.major_bytes());
}

void check_global(observation& o, scope& s) noexcept {
  const bool is_major = o.impossible > 0 || o.event.words() > engine::largest_minor_words;
  if (!o.process) {
    if (is_major) o.major = o.live;
    o.process = ask(o);
  }
  global_state& state = *o.process;
  if (state.limit == unlimited) return;
  const std::uint64_t look = s.counted.next_global_look();
  const bool calls_out = o.may_call_out && !s.request.soft.empty() && !s.pending();
  const bool chosen = s.global.selected.load(std::memory_order_relaxed);
  // What nearly every poll finds: no estimate is needed for that.
  if (!calls_out && !chosen && !state.over()) return;
  const engine::sampled_amount amount =
      engine::amount_of_process(engine::process_totals.major, o.major);
  if (calls_out) {
    call_soft_limits(s, limit_kind::global_memory, state.limit, amount);
    if (state.over()) state = ask(o);  // a callback may have freed caches, or raised the limit
  }
  if (chosen) {
    hit_global(o);
  } else if (state.over() &&
             is_surely_over(s, state.limit, engine::amount_of_process(engine::process_totals.major),
                            is_major ? bytes_to_come(o) : 0, look)) {
    if (global_memory_victim() == victim::allocating) {
      hit_global(o);
    } else {
      o.contended = true;
    }
  }
}

void check_stops(observation& o, scope& s) noexcept {
  if (s.hit.stopping || s.hit.found.any || !is_stopped(s, o.may_call_out)) return;
  s.hit.stop(o.event);
  o.changed = true;
}

/// A task whose request was neither granted nor refused gets it all the same.
void note_grant(observation const& o) noexcept {
  if (!o.process->over() || o.impossible > 0) return;
  for (scope const* s = this_thread_limits.innermost; s != nullptr; s = s->outer) {
    if (s->request.global_memory && (s->hit.happened || s->hit.found.any)) return;
  }
  engine::grant_anyway(o.major_bytes());
}

/// The request would bring the process over its limit, and no scope here was chosen before.
void contend(observation& o) noexcept {
  scope const& innermost = *this_thread_limits.innermost;
  const bool may_wait = o.event.words() > 0 && !o.changed && !o.found && !innermost.chain.pending &&
                        this_thread_limits.mask_depth == 0 &&
                        std::uncaught_exceptions() <= innermost.uncaught_at_entry;
  if (!await_room(*o.process, o.major_bytes(), may_wait)) return hit_global(o);
  // One of these may have ended the wait.
  for (scope* s = this_thread_limits.innermost; s != nullptr; s = s->outer) {
    if (!s->hit.happened) check_stops(o, *s);
  }
}

void check_shared(observation& o, scope& s) noexcept {
  shared_account* const shared = s.request.shared;
  if (shared == nullptr) return;
  budget_hit::found f;
  if (!shared->hit.read(f)) return;
  find(o, s, f.kind, f.limit, f.measured, 0);
}

}  // namespace

charge check(engine::event const& e, bool may_call_out, void const* frame) noexcept {
  scope* const innermost = this_thread_limits.innermost;
  if (innermost == nullptr) return {};
  // Capped, so that its bytes can be added to any count.
  constexpr std::int64_t most = std::int64_t{1} << 58;
  observation o{.event = e, .may_call_out = may_call_out};
  o.impossible = std::min(e.impossible_words(), most);
  o.live.weight = static_cast<double>(o.impossible) * 8.0;
  if (e.n_samples() > 0) {
    const double rate = engine::current.law.per_word();
    const std::uint64_t n =
        sampling::thin(engine::current.random, e.n_samples(), rate, this_thread_limits.per_word);
    engine::check_thinned(engine::consumer::limits, e.n_samples(), n, rate,
                          this_thread_limits.per_word);
    o.charged = static_cast<double>(n) * this_thread_limits.interval;
    this_thread_limits.charged += o.charged;
    o.live = engine::contribution_of(e.words(), engine::current.law);
  }
  const bool concerned =
      o.impossible > 0 || e.after() > innermost->chain.wakeup || innermost->chain.polls ||
      (o.charged > 0.0 && this_thread_limits.charged >= innermost->chain.threshold) ||
      (o.live.weight > 0 && innermost->chain.has_accounts);
  if (!concerned) return {.sampled = o.charged};
  for (scope* s = innermost; s != nullptr; s = s->outer) s->hit.forget_found();
  for (scope* s = innermost; s != nullptr; s = s->outer) {
    // Counted even when hit: a budget's account goes on for its other runs and the reports.
    if (s->hit.happened && s->request.shared == nullptr) continue;
    check_allocations(o, *s);
    if (s->hit.happened) continue;
    check_shared(o, *s);
    check_memory(o, *s);
    if (s->request.global_memory) check_global(o, *s);
    check_stops(o, *s);
  }
  if (o.contended) contend(o);
  if (o.process) note_grant(o);
  if (o.live.weight > 0) adjust_rate(o.live.rounded().weight);
  if (o.changed) {
    refresh_chain();
    take_reasons();
  }
  return {.sampled = o.charged,
          .checked = true,
          .found = o.found,
          .block = {.counts = o.live, .frame = frame}};
}

void stop_by_predicate(engine::event const& e, scope& s) noexcept {
  if (s.pending() || s.hit.found.any || s.request.cancel_if == nullptr) return;
  if (!is_stopped(s, true)) return;
  s.hit.stop(e);
  refresh_chain();
  take_reasons();
  note_overdue(e.after());
}

void publish_hits(engine::event const& e, engine::coming_block const& coming) noexcept {
  for (scope* s = this_thread_limits.innermost; s != nullptr; s = s->outer) {
    found_hit const& f = s->hit.found;
    if (f.any) {
      s->hit.publish(e, pauses_instead(*s));
      if (f.by_budget) {
        s->request.shared->hit.claim({.kind = f.kind, .limit = f.limit, .measured = f.measured});
      }
    }
    take_reasons(*s, coming);
    note_overdue(*s, e.after());
  }
  refresh_chain();
}

void grant_hits(engine::event const& e) noexcept {
  publish_hits(e, {});
  for (scope* s = this_thread_limits.innermost; s != nullptr; s = s->outer) {
    s->hit.grant(e.after());
  }
  set_wakeup();
}

namespace {

/// Takes back what one scope was charged. `paused`: as of counted_amounts.
void withdraw_from(scope& s, engine::event const& e, charge const& charged, bool paused) noexcept {
  const std::int64_t after = e.after();
  if (shared_account* const shared = s.request.shared; shared != nullptr && !charged_by_inner(s)) {
    if (s.counted.charged_position == after) {
      shared->exact_words.fetch_sub(e.words(), std::memory_order_relaxed);
    }
    if (charged.checked && !s.exact()) {
      shared->sampled_words.fetch_sub(charged.sampled, std::memory_order_relaxed);
    }
  }
  s.counted.withdraw(after, e.words(), charged.sampled, paused);
  s.hit.withdraw(after, e.words(), paused);
  if (!paused) s.attempts.withdraw(after, e.words());
}

}  // namespace

void withdraw(engine::event const& e, charge const& charged) noexcept {
  const bool paused = engine::current.block.before_pause;
  scope const* const end = paused ? this_thread_limits.running->outermost->outer : nullptr;
  for (scope* s = this_thread_limits.innermost; s != end; s = s->outer) {
    withdraw_from(*s, e, charged, paused);
  }
  if (!paused) this_thread_limits.charged -= charged.sampled;
  e.withdraw();
  if (this_thread_limits.innermost == nullptr) return;
  adjust_rate(0);
  refresh_chain();
  set_wakeup();
}

bool any_pending() noexcept {
  for (scope const* s = this_thread_limits.innermost; s != nullptr; s = s->outer) {
    scope_request const& r = s->request;
    if (s->pending() || s->global.selected.load(std::memory_order_relaxed)) return true;
    budget_hit::found shared;
    if (r.shared != nullptr && r.shared->hit.read(shared)) return true;
    if (token_is_set(*s) || deadline_has_passed(*s)) return true;
  }
  return false;
}

}  // namespace memprof::inline v0::detail
