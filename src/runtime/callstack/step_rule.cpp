// SPDX-License-Identifier: MIT
#include "callstack/step_rule.hpp"

#include "callstack/cfi_interpreter.hpp"

namespace memprof::callstack {
namespace {

using detail::number_return;

/// Where the frame pointer is saved, or would be: what a rule keeps as fp_offset.
std::int64_t pair_offset(cfi_row const& r) noexcept {
  return detail::return_address_below_cfa ? r.fp_offset : r.return_offset - 8;
}

/// Whether the return address is where `step` reads it.
bool finds_return_address(cfi_row const& r) noexcept {
  if (r.return_address != register_rule::at_cfa) return false;
  if (detail::return_address_below_cfa) return r.return_offset == -8;
  return r.fp == register_rule::same ||
         (r.fp == register_rule::at_cfa && r.fp_offset == r.return_offset - 8);
}

/// Before a function has set up its frame, after it has left it, or if it never has one.
bool is_in_link_register(cfi_row const& r) noexcept {
  return !detail::return_address_below_cfa && r.return_address == register_rule::same &&
         r.fp == register_rule::same;
}

bool fits(std::int64_t offset) noexcept { return offset == static_cast<std::int32_t>(offset); }

}  // namespace

step_rule rule_at(procedure const& p, std::uintptr_t pc) noexcept {
  if (!can_step || p.signal_frame || p.return_register != number_return) return {};
  cfi_interpreter table{p, pc};
  if (!table.run(p.initial_begin, p.initial_end)) return {};
  table.keep_as_initial();
  if (!table.run(p.rules_begin, p.rules_end)) return {};
  cfi_row const& found = table.result();
  if (found.return_address == register_rule::undefined) {
    return {.cfa = found.cfa, .outermost = true};
  }
  if (is_in_link_register(found)) {
    if (!fits(found.cfa_offset)) return {};
    return {.cfa_offset = static_cast<std::int32_t>(found.cfa_offset),
            .cfa = found.cfa,
            .fp = fp_in::with_link,
            .cfa_register = found.cfa_register};
  }
  if (!finds_return_address(found)) return {};
  if (!fits(found.cfa_offset) || !fits(pair_offset(found))) return {};
  step_rule rule{.cfa_offset = static_cast<std::int32_t>(found.cfa_offset),
                 .fp_offset = static_cast<std::int32_t>(pair_offset(found)),
                 .cfa = found.cfa,
                 .cfa_register = found.cfa_register};
  switch (found.fp) {
    case register_rule::same:
      rule.fp = fp_in::fp;
      break;
    case register_rule::at_cfa:
      rule.fp = fp_in::at_cfa;
      break;
    case register_rule::at_fp:
      rule.fp = fp_in::at_fp;
      break;
    case register_rule::undefined:
    case register_rule::other:
      rule.fp = fp_in::nowhere;
      break;
  }
  return rule;
}

}  // namespace memprof::callstack
