// SPDX-License-Identifier: MIT
#include "analysis/backtrace_marks.hpp"

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

}  // namespace memprof::analysis
