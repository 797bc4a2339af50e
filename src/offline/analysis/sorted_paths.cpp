// SPDX-License-Identifier: MIT
#include "analysis/sorted_paths.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace memprof::analysis {
namespace {

stack_names names_of(code_table const& codes, bool unknown) {
  stack_names names;
  for (code_table::id code = 0; code < codes.size(); ++code) {
    auto& of_code = names.of_code.emplace_back();
    for (frame const& f : codes.frames(code)) {
      of_code.push_back(names.texts.intern(codes.functions().text(f.function)));
    }
    if (unknown && !codes.is_known(code)) {
      of_code.push_back(names.texts.intern(fmt::format("{:#x}", codes.code(code))));
    }
  }
  return names;
}

}  // namespace

sorted_paths::sorted_paths(usage const& u, bool unknown, measure value)
    : names_(names_of(u.codes, unknown)), order_(u.stacks, names_, stack_order::rule::by_name) {
  std::vector<stack_tree::node_id> stacks = u.stacks_of_rows();
  std::ranges::sort(stacks, [&](auto a, auto b) { return order_.compare(a, b) < 0; });
  for (std::size_t i = 0; i < stacks.size();) {
    path p{.stack = stacks[i], .samples = 0};
    for (; i < stacks.size() && order_.compare(stacks[i], p.stack) == 0; ++i) {
      p.samples += amount_of(u.own(stacks[i]), value).samples;
    }
    if (p.samples != 0) paths_.push_back(p);
  }
}

}  // namespace memprof::analysis
