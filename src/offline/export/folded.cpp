// SPDX-License-Identifier: MIT
#include "export/folded.hpp"

#include <algorithm>
#include <fmt/ostream.h>
#include <ostream>
#include <vector>

#include "export/names.hpp"

namespace memprof::exports {
namespace {

using analysis::stack_order;

analysis::stack_names names_of(analysis::code_table const& codes) {
  analysis::stack_names names;
  for (analysis::code_table::id code = 0; code < codes.size(); ++code) {
    auto& of_code = names.of_code.emplace_back();
    for (frame const& f : frames_of(code, codes)) {
      of_code.push_back(names.texts.intern(function_text(f)));
    }
  }
  names.of_root.push_back(names.texts.intern(no_backtrace().function));
  return names;
}

}  // namespace

void write_folded(std::ostream& out, analysis::usage const& profile) {
  const analysis::stack_names names = names_of(profile.codes);
  stack_order order(profile.stacks, names, stack_order::rule::by_line);
  std::vector<analysis::usage_row const*> rows;
  for (analysis::usage_row const& r : profile.rows) rows.push_back(&r);
  std::ranges::sort(
      rows, [&](auto const* a, auto const* b) { return order.compare(a->stack, b->stack) < 0; });
  for (std::size_t i = 0; i < rows.size();) {
    const analysis::stack_tree::node_id stack = rows[i]->stack;
    std::uint64_t samples = 0;  // of stacks that may differ in their lines only
    for (; i < rows.size() && order.compare(rows[i]->stack, stack) == 0; ++i) {
      samples += rows[i]->sums.allocated.samples;
    }
    char const* between = "";
    order.for_each_name(stack, [&](analysis::name_table::id name) {
      out << between << names.texts.text(name);
      between = ";";
    });
    fmt::print(out, " {}\n", samples);
  }
}

}  // namespace memprof::exports
