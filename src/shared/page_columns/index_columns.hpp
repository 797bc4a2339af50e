// SPDX-License-Identifier: MIT
/// \file
/// The columns of an index: which there are, in which order, and what they hold. docs/serve.md,
/// "The index".
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "page_columns/column_list.hpp"

namespace memprof::page_columns {

/// What happened to a block, as the page counts it.
enum class block_change : std::uint8_t { allocated, promoted, freed };

///  - `length`: words without the header.
///  - `first`, `second`: how its samples are split.
///  - `stack`: a node of the tree of calls.
///  - `where`: its heap, and four times its domain.
///  - `between`: 0: it was not freed. Else one more than the samples of its thread between its
///    allocation and its free.
struct index_block {
  std::uint64_t length;
  std::uint32_t samples, first, second, stack, where, between;
};
struct index_change {
  std::uint32_t block;
  block_change kind;
  std::int64_t time;  ///< microseconds since the trace began
};

/// \param parents,frames of the nodes of the tree of calls; a parent comes before its children.
/// \param block index_block of a number below `n_blocks`; called several times for each.
/// \param change index_change of a number below `n_changes`, in the order of their times.
template <class Block, class Change>
column_list index_columns(std::span<std::uint32_t const> parents,
                          std::span<std::uint32_t const> frames, std::size_t n_blocks, Block block,
                          std::size_t n_changes, Change change) {
  column_list to;
  const auto add = [&](char const* name, auto index_block::*field) {
    to.add(name, n_blocks, [=](std::size_t i) { return block(i).*field; });
  };
  to.add("parent", parents.size(), [=](std::size_t i) { return parents[i]; });
  to.add("frame", frames.size(), [=](std::size_t i) { return frames[i]; });
  to.add("length", n_blocks, [=](std::size_t i) { return as_double(block(i).length); });
  add("samples", &index_block::samples);
  add("first", &index_block::first);
  add("second", &index_block::second);
  add("stack", &index_block::stack);
  add("where", &index_block::where);
  add("between", &index_block::between);
  to.add("change", n_changes, [=](std::size_t i) {
    return change(i).block * 4 + static_cast<std::uint32_t>(change(i).kind);
  });
  to.add("time", n_changes, [=](std::size_t i) { return change(i).time; });
  return to;
}

}  // namespace memprof::page_columns
