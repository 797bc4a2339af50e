// SPDX-License-Identifier: MIT
#include "analysis/wrappers.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <tuple>

#include "analysis/function_table.hpp"
#include "analysis/group_map.hpp"

namespace memprof::analysis {
namespace {

constexpr int rounds = 3;
constexpr double least_share = 0.01, least_samples = 20;
constexpr double least_self = 0.95, least_in_line = 0.9;
constexpr std::size_t least_callers = 4;
constexpr double most_of_caller = 0.75;

using function_id = name_table::id;
constexpr function_id unnamed = group_map::none;

/// How a function allocates. Callers: `unnamed` is code without a name, and the end of a stack.
struct use {
  double samples = 0;
  std::map<std::uint32_t, double> lines;
  std::map<function_id, double> callers;
};

template <class Key>
double most(std::map<Key, double> const& counts) {
  double result = 0;
  for (auto const& [key, n] : counts) result = std::max(result, n);
  return result;
}

/// The two innermost calls of a stack that are not left out.
struct two_calls {
  function_id function = unnamed, caller = unnamed;
  std::uint32_t line = 0;
};

two_calls innermost(usage const& u, stack_tree::node_id stack, std::set<function_id> const& out) {
  two_calls result;
  bool first = true;
  for (auto s = stack; s != stack_tree::root; s = u.stacks.parent(s)) {
    const code_table::id code = u.stacks.code(s);
    const auto frames = u.codes.frames(code);
    for (auto f = frames.rbegin(); f != frames.rend(); ++f) {
      if (out.contains(f->function)) continue;
      if (!first) {
        result.caller = f->function;
        return result;
      }
      result.function = f->function;
      result.line = f->line;
      first = false;
    }
    if (!u.codes.is_known(code)) return result;
  }
  return result;
}

}  // namespace

wrappers find_wrappers(usage const& u) {
  const auto all = static_cast<double>(u.total.allocated.samples);
  const group_map groups(u.codes, u.stacks, grouping::function);
  const std::vector<function_row> table = function_table(u, groups);
  std::map<function_id, function_row const*> row_of;
  for (name_table::id g = 0; g < table.size(); ++g) {
    if (frame const* const f = groups.first_frame(g)) row_of[f->function] = &table[g];
  }
  const auto total_of = [&](function_id f) {
    return static_cast<double>(row_of.at(f)->total.allocated.samples);
  };

  std::set<function_id> found;
  for (int round = 0; round < rounds; ++round) {
    std::map<function_id, use> uses;
    for (usage_row const& r : u.rows) {
      const two_calls calls = innermost(u, r.stack, found);
      if (calls.function == unnamed) continue;
      const auto samples = static_cast<double>(r.sums.allocated.samples);
      use& of = uses[calls.function];
      of.samples += samples;
      of.lines[calls.line] += samples;
      of.callers[calls.caller] += samples;
    }
    const std::size_t before = found.size();
    for (auto const& [f, of] : uses) {
      if (of.samples >= std::max(least_samples, least_share * all) &&
          of.samples >= least_self * total_of(f) && most(of.lines) >= least_in_line * of.samples &&
          of.callers.size() >= least_callers && most(of.callers) <= most_of_caller * of.samples) {
        found.insert(f);
      }
    }
    if (found.size() == before) break;
  }

  wrappers result;
  std::vector<function_row const*> rows;
  double passed = 0;
  for (const function_id f : found) {
    rows.push_back(row_of.at(f));
    passed += static_cast<double>(rows.back()->self.allocated.samples);
  }
  std::ranges::sort(rows, [](function_row const* a, function_row const* b) {
    return std::tuple(b->total.allocated.samples, a->name) <
           std::tuple(a->total.allocated.samples, b->name);
  });
  for (function_row const* const r : rows) result.functions.push_back(r->name);
  if (all > 0) result.share = passed / all;
  return result;
}

}  // namespace memprof::analysis
