// SPDX-License-Identifier: MIT
#include "limits/reasons.hpp"

#include <array>
#include <cstddef>
#include <exception>
#include <span>
#include <vector>

#include "base/base.hpp"
#include "limits/scope.hpp"

namespace memprof::inline v0::detail {
namespace {

/// The largest totals of one kind.
struct totals {
  std::size_t count = 0;
  std::array<engine::stack_total, most_explained_stacks> largest;
};

struct reasons {
  totals live, allocated;
};

constinit base::index_pool<reasons, 4> all_reasons;

bool counts_requests(limit_kind kind) noexcept {
  return kind != limit_kind::token && kind != limit_kind::deadline;
}

std::vector<stack_amount> stacks_of(totals const& t) {
  constexpr double confidence = 0.95;
  std::vector<stack_amount> result;
  for (engine::stack_total const& total : std::span(t.largest).first(t.count)) {
    stack_amount& s = result.emplace_back();
    for (const std::uintptr_t frame : engine::frames_of_summed(total.stack)) {
      s.callstack.push_back(reinterpret_cast<void*>(frame));
    }
    s.amount = total.amount.with(confidence);
  }
  return result;
}

}  // namespace

void take_reasons(scope& s, engine::coming_block const& coming) noexcept {
  if (s.request.explain == 0 || !s.pending() || s.reasons != 0) return;
  s.reasons = all_reasons.acquire();
  if (s.reasons == 0) return;
  reasons& r = all_reasons[s.reasons];
  engine::coming_block const block = counts_requests(s.hit.kind) ? coming : engine::coming_block{};
  const std::uint32_t stack = stack_of(block);
  const auto take = [&](totals& t, engine::stack_amounts which) {
    t.count = largest_stacks(live_account_of(s), which, block.counts, stack,
                             std::span(t.largest).first(s.request.explain));
  };
  take(r.live, engine::stack_amounts::live);
  take(r.allocated, engine::stack_amounts::allocated);
}

void take_reasons(engine::coming_block const& coming) noexcept {
  for (scope* s = this_thread_limits.innermost; s != nullptr; s = s->outer) {
    take_reasons(*s, coming);
  }
}

void drop_reasons(scope& s) noexcept {
  if (s.reasons == 0) return;
  all_reasons.release(s.reasons);
  s.reasons = 0;
}

std::shared_ptr<explanation const> explanation_of(scope const& s) noexcept {
  if (s.reasons == 0) return nullptr;
  const engine::muted_section muted;  // the library's own allocations: not counted
  reasons const& r = all_reasons[s.reasons];
  try {
    return std::make_shared<explanation>(
        explanation{.live = stacks_of(r.live), .allocated = stacks_of(r.allocated)});
  } catch (std::exception const&) {
    return nullptr;
  }
}

}  // namespace memprof::inline v0::detail
