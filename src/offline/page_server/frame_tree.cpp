// SPDX-License-Identifier: MIT
#include "page_server/frame_tree.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "page_columns/page_columns.hpp"
#include "text/text.hpp"

namespace memprof::page_server {

using analysis::flat_index;
using analysis::stack_tree;

frame_tree::frame_tree(analysis::trace_index const& index, std::size_t most)
    : stacks_(index.stacks()),
      codes_(index.codes()),
      chains_(stacks_, index.objects().stack),
      of_block_(chains_.size()),
      nodes_(chains_.size()) {
  for (const stack_tree::node_id s : index.objects().stack) of_block_[chains_.ending_at(s)] = true;
  std::vector<bool> used = of_block_;
  for (chain_id i = static_cast<chain_id>(chains_.size()); i-- > 1;) {
    if (used[i]) used[chains_[i].parent] = true;
  }
  ends_ = ends_for(most, used);

  std::vector<std::uint32_t> outer(chains_.size());  // the last node of a chain that is not cut
  for (chain_id i = 1; i < chains_.size(); ++i) {
    if (!used[i]) continue;
    analysis::stack_chains::chain const& c = chains_[i];
    std::uint32_t at = outer[c.parent];
    std::uint32_t depth = stacks_.depth(c.first);
    for (auto n = c.first; n <= c.last && (ends_ == 0 || depth <= ends_); ++n, ++depth) {
      at = add_code(at, stacks_.code(n));
    }
    outer[i] = at;
    const bool cut = ends_ > 0 && of_block_[i] && stacks_.depth(c.last) > ends_;
    nodes_[i] = cut ? inner_calls(at, c.last) : at;
  }
}

/// The largest power of two with which the tree has at most so many calls; none if it has no more
/// anyway. Inner ends count as if they shared nothing.
std::uint32_t frame_tree::ends_for(std::size_t most, std::vector<bool> const& used) const {
  std::vector<std::size_t> of_depth(2);  // nodes
  std::vector<std::uint32_t> depths;     // of stacks
  for (chain_id i = 1; i < chains_.size(); ++i) {
    if (!used[i]) continue;
    const std::uint32_t last = stacks_.depth(chains_[i].last);
    if (of_block_[i]) depths.push_back(last);
    if (last + 2 > of_depth.size()) of_depth.resize(last + 2);
    ++of_depth[stacks_.depth(chains_[i].first)];
    --of_depth[last + 1];  // below zero until they are added up
  }
  for (int sums = 0; sums < 2; ++sums) {  // of each depth; then down to it
    for (std::size_t d = 1; d < of_depth.size(); ++d) of_depth[d] += of_depth[d - 1];
  }
  if (of_depth.back() <= most) return 0;
  for (std::uint32_t ends = std::uint32_t{1} << 16;; ends /= 2) {
    std::size_t calls = of_depth[std::min<std::size_t>(ends, of_depth.size() - 1)];
    for (const std::uint32_t d : depths) calls += d > ends ? std::min(d - ends, ends + 1) : 0;
    if (calls <= most || ends <= least_ends) return ends;
  }
}

/// What stays of a stack below its outer calls, of which `at` is the last.
std::uint32_t frame_tree::inner_calls(std::uint32_t at, stack_tree::node_id stack) {
  const std::uint32_t more = stacks_.depth(stack) - ends_;
  std::vector<analysis::code_table::id> codes;
  for (auto n = stack; codes.size() < std::min(more, ends_); n = stacks_.parent(n)) {
    codes.push_back(stacks_.code(n));
  }
  if (more > ends_) {
    module_ = modules.intern("");
    at = below(at, nameless(left_out));
  }
  for (auto code = codes.rbegin(); code != codes.rend(); ++code) at = add_code(at, *code);
  return at;
}

std::uint32_t frame_tree::add_code(std::uint32_t at, analysis::code_table::id code) {
  module_ = modules.intern(text::printable(codes_.module(code)));
  for (analysis::frame const& f : codes_.frames(code)) {
    at = below(at, number_of(f));
    if (f.line > 0) sources[codes_.files().text(f.file)].insert(f.line);
  }
  return codes_.is_known(code) ? at : below(at, nameless(fmt::format("{:#x}", codes_.code(code))));
}

std::uint32_t frame_tree::number_of(analysis::frame const& f) {
  std::string const& name = codes_.functions().text(f.function);
  return intern(name, codes_.files().text(f.file), f,
                page_columns::flags_of(name, f.inlined, false));
}

std::uint32_t frame_tree::nameless(std::string_view text) {
  return intern(text, "", {}, page_columns::flags_of(text, false, true));
}

std::uint32_t frame_tree::intern(std::string_view name, std::string_view file,
                                 analysis::frame const& f, unsigned flags) {
  const auto key =
      std::tuple(functions.intern(text::printable(name)), files.intern(text::printable(file)),
                 f.line, f.start_char, f.end_char, flags, module_);
  const auto [at, is_new] = numbers_.try_emplace(key, static_cast<std::uint32_t>(table.size()));
  if (is_new) {
    table.push_back(json::array(
        {std::get<0>(key), std::get<1>(key), f.line, f.start_char, f.end_char, flags, module_}));
  }
  return at->second;
}

std::uint32_t frame_tree::below(std::uint32_t parent, std::uint32_t frame) {
  std::uint32_t& place = index_.find(parent, frame);
  if (place == flat_index::none) {
    place = static_cast<std::uint32_t>(parents.size());
    parents.push_back(parent);
    frames.push_back(frame);
  }
  return place;
}

}  // namespace memprof::page_server
