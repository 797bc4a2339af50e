// SPDX-License-Identifier: MIT
#include "endpoints/packed_blocks.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <span>
#include <tuple>
#include <unistd.h>
#include <unordered_map>
#include <vector>

#include "memprof/version.hpp"

#include "endpoints/call_nodes.hpp"
#include "endpoints/process_facts.hpp"
#include "page_columns/page_columns.hpp"
#include "text/text.hpp"

namespace memprof::endpoints {
namespace {

using page_columns::block_change;
using page_columns::index_change;

/// In the order of their times; at the same time allocations first. No block goes before it came.
std::vector<index_change> changes_of(std::span<block_life const> lives) {
  std::vector<index_change> all;
  all.reserve(lives.size() * 2);
  for (std::uint32_t i = 0; i < lives.size(); ++i) {
    block_life const& l = lives[i];
    const std::int64_t promoted = l.promoted < 0 ? l.born : std::max(l.born, l.promoted);
    all.push_back({i, block_change::allocated, l.born});
    if (l.promoted >= 0) all.push_back({i, block_change::promoted, promoted});
    if (l.freed >= 0) all.push_back({i, block_change::freed, std::max(promoted, l.freed)});
  }
  std::ranges::sort(all, {},
                    [](index_change const& c) { return std::tuple(c.time, c.kind, c.block); });
  return all;
}

std::uint32_t narrow(std::uint64_t n) {
  constexpr std::uint64_t most = std::numeric_limits<std::uint32_t>::max();
  return static_cast<std::uint32_t>(std::min(n, most));
}

std::string digits(double x) {
  std::array<char, 64> text;
  const auto end = std::to_chars(text.data(), text.data() + text.size(), x).ptr;
  return {text.data(), end};
}

std::string text_in_json(std::string_view s) { return text::json_string(text::printable(s)); }

std::string heaps_of(std::span<block_life const> lives) {
  constexpr std::array names{"\"minor\"", "\"major\"", "\"external\""};
  std::array<bool, names.size()> seen{};
  for (block_life const& l : lives) {
    seen[std::min<std::size_t>(l.heap, 2)] = true;
    seen[1] |= l.promoted >= 0;
  }
  std::string list;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (seen[i]) list += (list.empty() ? "" : ",") + std::string(names[i]);
  }
  return '[' + list + ']';
}

std::string facts_of(block_snapshot const& s, std::uint64_t generation, std::size_t events) {
  lives_snapshot const& lives = s.lives;
  const auto began =
      std::chrono::duration_cast<std::chrono::microseconds>(s.began.time_since_epoch());
  const std::string count = std::to_string(lives.lives.size());
  std::string context;
  if (lives.lost > 0)
    context =
        std::to_string(lives.lost) + (lives.lost == 1 ? " sample" : " samples") + " found no room";
  return "{\"api\":2,\"memprof\":" + text_in_json(version) +
         ",\"file\":\"\",\"bytes\":0,\"executable\":" + text_in_json(executable_path()) +
         ",\"pid\":" + std::to_string(getpid()) + ",\"host\":" + text_in_json(host_name()) +
         ",\"context\":" + text_in_json(context) +
         ",\"start_time_us\":" + std::to_string(began.count()) +
         ",\"word_bytes\":8,\"sample_rate\":" +
         digits(std::ldexp(s.per_word, -static_cast<int>(lives.halvings))) +
         ",\"file_sample_rate\":" + digits(s.per_word) +
         ",\"version\":3,\"events\":" + std::to_string(events) + ",\"objects\":" + count +
         ",\"kept_objects\":" + count +
         ",\"stack_ends\":null,\"duration_us\":" + std::to_string(s.taken) +
         ",\"heaps\":" + heaps_of(lives.lives) +
         ",\"domains\":[0],\"thread_names\":[],\"generation\":" + std::to_string(generation) +
         ",\"damage\":null,\"limits\":[],\"notes\":{\"command\":" +
         text_in_json(command_as_text()) +
         "},\"freed_since_us\":" + std::to_string(std::max<std::int64_t>(0, lives.freed_since)) +
         ",\"growing\":true,\"other\":null}";
}

/// The node of each block.
std::vector<std::uint32_t> nodes_of(std::span<block_life const> lives, call_nodes& tree) {
  std::unordered_map<std::uint64_t, std::uint32_t> known;
  std::vector<std::uint32_t> nodes;
  nodes.reserve(lives.size());
  for (block_life const& l : lives) {
    const auto [at, is_new] = known.try_emplace(l.stack);
    if (is_new) at->second = tree.node_of(frames_of_stack(l.stack));
    nodes.push_back(at->second);
  }
  return nodes;
}

called_code code_of(std::span<block_life const> lives, code_names& names) {
  called_code code;
  std::uint64_t last = 0;
  for (block_life const& l : lives) {
    if (l.stack != last) code.add(frames_of_stack(l.stack));
    last = l.stack;
  }
  code.find_names(names);
  return code;
}

}  // namespace

std::string packed_blocks(block_snapshot const& s, code_names& names, std::uint64_t generation,
                          std::string& facts) {
  std::vector<block_life> lives = s.lives.lives;
  std::ranges::stable_sort(lives, {}, &block_life::born);
  const std::vector<index_change> changes = changes_of(lives);
  const stack_rows::holding held = hold_stacks();
  const called_code code = code_of(lives, names);
  call_nodes tree(code);
  const std::vector<std::uint32_t> nodes = nodes_of(lives, tree);

  const double rate = std::ldexp(s.per_word, -static_cast<int>(s.lives.halvings));
  const auto seed = static_cast<std::uint64_t>(s.began.time_since_epoch().count()) ^
                    static_cast<std::uint64_t>(getpid()) << 48;
  const page_columns::sample_splitter split(seed, rate);
  std::vector<page_columns::sample_halves> halves;
  halves.reserve(lives.size());
  for (block_life const& l : lives) halves.push_back(split(l.samples, l.id));

  const page_columns::column_list columns = page_columns::index_columns(
      tree.parents(), tree.frames(), lives.size(),
      [&](std::size_t i) {
        block_life const& l = lives[i];
        return page_columns::index_block{.length = l.words - 1,
                                         .samples = narrow(l.samples),
                                         .first = narrow(halves[i].first),
                                         .second = narrow(halves[i].second),
                                         .stack = nodes[i],
                                         .where = l.heap,
                                         .between = l.freed < 0 ? 0 : narrow(l.between + 1)};
      },
      changes.size(), [&](std::size_t i) { return changes[i]; });

  facts = facts_of(s, generation, changes.size());
  return columns.behind("{\"trace\":" + facts + ',' + tree.tables_as_json() +
                        ",\"columns\":" + columns.list_as_json() + '}');
}

}  // namespace memprof::endpoints
