// SPDX-License-Identifier: MIT
#include "export/folded.hpp"

#include <fmt/ostream.h>
#include <map>
#include <ostream>
#include <string>
#include <unordered_map>
#include <vector>

#include "export/names.hpp"

namespace memprof::exports {

void write_folded(std::ostream& out, analysis::usage const& profile) {
  constexpr auto root = analysis::stack_tree::root;
  std::unordered_map<analysis::code_table::id, std::string> texts;
  const auto text_of = [&](analysis::code_table::id code) -> std::string const& {
    const auto [entry, is_new] = texts.try_emplace(code);
    if (is_new) entry->second = functions_text(code, profile.codes);
    return entry->second;
  };
  std::map<std::string, std::uint64_t> sums;  // stacks may differ in their lines only
  std::vector<analysis::code_table::id> path;
  for (analysis::usage_row const& r : profile.rows) {
    path.clear();
    for (auto n = r.stack; n != root; n = profile.stacks.parent(n)) {
      path.push_back(profile.stacks.code(n));
    }
    std::string line = path.empty() ? no_backtrace().function : "";
    for (auto code = path.rbegin(); code != path.rend(); ++code) {
      if (!line.empty()) line += ';';
      line += text_of(*code);
    }
    sums[line] += r.sums.allocated.samples;
  }
  for (auto const& [line, samples] : sums) fmt::print(out, "{} {}\n", line, samples);
}

}  // namespace memprof::exports
