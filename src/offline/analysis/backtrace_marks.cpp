// SPDX-License-Identifier: MIT
#include "analysis/backtrace_marks.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace memprof::analysis {
namespace {

std::uint64_t bits(std::size_t n) {
  return n >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << n) - 1;
}

}  // namespace

naming naming_of(selection const& s, std::shared_ptr<symbolize::resolver> names,
                 bool hide_allocation_functions) {
  naming n{.names = std::move(names),
           .hide = s.hide,
           .marks = {},
           .hide_allocation_functions = hide_allocation_functions};
  const auto add = [&](std::vector<name_pattern> const& patterns, bool of_file) {
    for (name_pattern const& p : patterns) n.marks.push_back({p, of_file});
  };
  add(s.inside, false);
  add(s.files, true);
  add(s.not_inside, false);
  add(s.not_files, true);
  if (n.marks.size() > 64) {
    throw std::invalid_argument("more than 64 patterns of functions and files");
  }
  return n;
}

backtrace_marks::backtrace_marks(selection const& s)
    : must_have_(bits(s.inside.size() + s.files.size())),
      must_not_have_(
          bits(s.inside.size() + s.files.size() + s.not_inside.size() + s.not_files.size()) &
          ~must_have_) {}

bool backtrace_marks::passes(trace::event const& e, stack_tree::node_id node,
                             stack_tree const& stacks, code_table const& codes) {
  std::vector<std::uint64_t>& path = paths_.try_emplace(e.domain, 1, 0).first->second;
  const std::size_t length = e.backtrace.size();
  const std::size_t known =
      std::min({path.size() - 1, static_cast<std::size_t>(e.common_prefix), length});
  path.resize(length + 1);
  for (std::size_t i = length; i > known; --i, node = stacks.parent(node)) {
    path[i] = codes.marks(stacks.code(node));
  }
  for (std::size_t i = known; i < length; ++i) path[i + 1] |= path[i];
  return (path.back() & must_have_) == must_have_ && (path.back() & must_not_have_) == 0;
}

}  // namespace memprof::analysis
