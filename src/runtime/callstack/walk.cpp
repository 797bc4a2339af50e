// SPDX-License-Identifier: MIT
#include "callstack/walk.hpp"

#include <algorithm>

#include "callstack/walk_counters.hpp"

namespace memprof::callstack {
namespace {

constexpr std::uintptr_t most_pc = (std::uintptr_t{1} << 48) - 1;

constexpr bool aligned(std::uintptr_t address) noexcept { return address % 8 == 0; }

}  // namespace

walk::walk(frame const& from, bool guess) noexcept
    : f_(from), may_guess_(guess), memo_(begin_walk_of_thread()) {
  if (memo_ == nullptr) return;
  seen_ = memo_->begin();
  first_kept_ = kept_ = memo_->room();
  one_kept_ = 1;
}

// The three kinds of rule that nearly all code has are followed here, in a frame that the
// compiler keeps in registers: in memory each step would wait for the one before to be stored.
std::size_t walk::take(std::span<std::uintptr_t> into) noexcept {
  std::uintptr_t* out = into.data();
  // Each step of the loop keeps one step at most, so the memo has room for all.
  std::uintptr_t* const end = out + std::min(into.size(), left_);
  // Once a walk is checked it stays so, also in the second buffer.
  if (checked_) {
    const auto taken = static_cast<std::size_t>(take_checked(out, end) - out);
    left_ -= taken;
    return taken;
  }
  frame f = f_;
  walk_step const* seen = seen_;
  walk_step* kept = kept_;
  std::ptrdiff_t const one_kept = one_kept_;
  std::size_t by_tables = 0;
  std::size_t otherwise = 0;  // steps that are counted elsewhere, or not at all
  while (out != end) {
    if (f.sp >= seen->from.sp) [[unlikely]] {
      while (seen->from.sp < f.sp) ++seen;
      if (seen->from == f) {
        std::uintptr_t* const first = out;
        std::size_t by_fp = 0;
        walk_step const* const until = follow_memo(seen, memo_->end() - 1, out, end, by_fp);
        by_tables += static_cast<std::size_t>(out - first) - by_fp;
        f = until->from;
        seen_ = seen;
        kept_ = kept;
        keep_followed(until);
        seen = seen_;
        kept = kept_;
        if (out == end) break;
        if (seen == until) ++seen;  // whose step does not hold
      }
    }
    if (f.pc - 1 >= most_pc) {  // 0, or too large
      next_ = f.pc == 0 ? next::outermost : next::lost;
      break;
    }
    *out++ = f.pc;
    kept->from = f;
    const packed_step s = known_rules.find(f.pc);
    const step_kind kind = s.kind();
    if (kind == step_kind::by_fp) [[likely]] {
      if (f.fp < f.sp || !aligned(f.fp)) {
        ++otherwise;
        next_ = next::lost;
        break;
      }
      kept->fp_at = f.fp;
      kept->by_fp = 1;
      f = {.pc = detail::word_at(f.fp + 8), .sp = f.fp + 16, .fp = detail::word_at(f.fp)};
      kept->fp_word = f.fp;
    } else if (kind == step_kind::save_fp) {
      ++by_tables;
      const std::uintptr_t cfa = f.sp + std::uintptr_t{8} * s.n();
      const std::uintptr_t fp_at = cfa - std::uintptr_t{8} * s.k();
      f = {.pc = detail::word_at(cfa - 8), .sp = cfa, .fp = detail::word_at(fp_at)};
      kept->fp_at = fp_at;
      kept->by_fp = 0;
      kept->fp_word = f.fp;
    } else if (kind == step_kind::by_sp) {
      ++by_tables;
      const std::uintptr_t cfa = f.sp + std::uintptr_t{8} * s.n();
      f = {.pc = detail::word_at(cfa - 8), .sp = cfa, .fp = f.fp};
      kept->fp_at = cfa - 8;  // a word that is compared anyway
      kept->by_fp = 0;
      kept->fp_word = f.pc;
    } else {
      ++otherwise;
      kept->never_holds();
      f_ = f;
      next_ = advance_slowly(s);
      if (checked_ || next_ != next::caller) {
        std::uintptr_t* const checked_from = out;
        out = take_checked(out, end);
        otherwise += static_cast<std::size_t>(out - checked_from);
        f = f_;
        kept += one_kept;
        break;
      }
      f = f_;
    }
    kept += one_kept;
  }
  f_ = f;
  seen_ = seen;
  kept_ = kept;
  const auto taken = static_cast<std::size_t>(out - into.data());
  left_ -= taken;
  by_fp_ += taken - by_tables - otherwise;
  by_tables_ += by_tables;
  return taken;
}

/// The steps of the last walk from seen_ to `until` are steps of this one.
[[gnu::noinline]] void walk::keep_followed(walk_step const* until) noexcept {
  walk_step* const list = memo_->begin();
  if (until + 1 == memo_->end() && kept_ - first_kept_ == seen_ - list) {
    // The rest is unchanged and in its place: that list remains, with our steps in front. If there
    // were more steps behind it, they are added.
    std::copy(first_kept_, kept_, list);
    first_kept_ = list;
    kept_ = list + (until - list);
    seen_ = &no_step;
  } else {
    kept_ = memo_->add(kept_, seen_, until);
    seen_ = until;
  }
}

void walk::finish() noexcept {
  if (memo_ != nullptr) {
    // Cut short: the steps beyond may be needed again.
    if (goes_on() && seen_->from == f_) keep_followed(memo_->end() - 1);
    memo_->end_walk(first_kept_, static_cast<std::size_t>(kept_ - first_kept_));
    memo_ = nullptr;
  }
  count_walk({.by_frame_pointer = static_cast<std::uint32_t>(by_fp_),
              .by_tables = static_cast<std::uint32_t>(by_tables_)},
             next_ == next::lost);
}

/// Behind code without tables, where no rule is followed unchecked.
[[gnu::noinline, gnu::cold]] std::uintptr_t* walk::take_checked(std::uintptr_t* out,
                                                                std::uintptr_t* end) noexcept {
  while (out != end && next_ == next::caller) {
    if (f_.pc > most_pc) {
      next_ = next::lost;
      break;
    }
    *out++ = f_.pc;
    next_ = advance_slowly(known_rules.find(f_.pc));
  }
  return out;
}

}  // namespace memprof::callstack
