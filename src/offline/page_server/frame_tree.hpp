// SPDX-License-Identifier: MIT
/// \file
/// The stacks of an index as the page takes them: a tree of frames, no larger than a page can bear.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string_view>
#include <tuple>
#include <vector>

#include "analysis/analysis.hpp"
#include "page_server/source_files.hpp"
#include "page_server/trace_json.hpp"

namespace memprof::page_server {

/// The frames of one code are nodes of their own, outermost first; inlined ones, too. Stacks that
/// no block has are left out.
///
/// Deep stacks that differ in each call can make a tree of any size. If it would have more than
/// `most` calls, stacks are cut in their middle: of each, so many calls at both ends stay, and
/// `left_out` stands for those between them.
class frame_tree {
 public:
  static constexpr std::size_t usual_most = 2'000'000;
  /// So many calls stay at each end however large the tree is.
  static constexpr std::uint32_t least_ends = 16;
  static constexpr std::string_view left_out = "(calls left out)";

  explicit frame_tree(analysis::trace_index const& index, std::size_t most = usual_most);

  /// Of a stack that a block has.
  [[nodiscard]] std::uint32_t node_of(analysis::stack_tree::node_id stack) const {
    return nodes_[chains_.ending_at(stack)];
  }
  /// The calls that stay at each end of a stack; 0: all stacks are whole.
  [[nodiscard]] std::uint32_t ends() const noexcept { return ends_; }

  std::vector<std::uint32_t> parents{0}, frames{0};  // of each node
  json table = json::array();                        // of the frames
  analysis::name_table functions, files, modules;
  source_lines sources;

 private:
  using chain_id = analysis::stack_chains::id;

  [[nodiscard]] std::uint32_t ends_for(std::size_t most, std::vector<bool> const& used) const;
  std::uint32_t inner_calls(std::uint32_t at, analysis::stack_tree::node_id stack);
  std::uint32_t add_code(std::uint32_t at, analysis::code_table::id code);
  std::uint32_t number_of(analysis::frame const& f);
  std::uint32_t nameless(std::string_view text);
  std::uint32_t intern(std::string_view name, std::string_view file, analysis::frame const& f,
                       unsigned flags);
  std::uint32_t below(std::uint32_t parent, std::uint32_t frame);

  analysis::stack_tree const& stacks_;
  analysis::code_table const& codes_;
  analysis::stack_chains chains_;
  std::vector<bool> of_block_;  // of each chain: it ends the stack of a block
  std::uint32_t ends_ = 0;
  std::vector<std::uint32_t> nodes_;     // of each chain: that of the stack it ends
  analysis::name_table::id module_ = 0;  // of the code whose frames are being added
  analysis::flat_index index_;
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t,
                      unsigned, std::uint32_t>,
           std::uint32_t>
      numbers_;
};

}  // namespace memprof::page_server
