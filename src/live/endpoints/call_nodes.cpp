// SPDX-License-Identifier: MIT
#include "endpoints/call_nodes.hpp"

#include <ranges>
#include <utility>

#include "page_columns/page_columns.hpp"
#include "text/text.hpp"

namespace memprof::endpoints {

call_nodes::call_nodes(called_code const& code, std::size_t most)
    : code_(code), most_(most), frames_of_code_(code.size()) {}

std::uint32_t call_nodes::frame_of(std::string function, std::uint32_t module, bool unnamed) {
  std::string key = std::to_string(module) + ' ' + function;
  const auto [at, is_new] =
      numbers_.try_emplace(std::move(key), static_cast<std::uint32_t>(all_frames_.size()));
  if (is_new) {
    const unsigned flags = page_columns::flags_of(function, false, unnamed);
    all_frames_.push_back({std::move(function), module, flags});
  }
  return at->second;
}

std::uint32_t call_nodes::frame_of_code(std::size_t code) {
  std::uint32_t& known = frames_of_code_[code];
  if (known == 0) {
    const std::uint32_t segment = code_.places().places[code].segment;
    const bool nowhere = segment == modules::code_place::nowhere;
    std::string name = text::printable(code_.name(code));
    if (page_columns::is_own_function(name)) {
      // A task is mostly within our function that calls it.
      name = page_columns::task_within(name);
      if (name.empty()) return (known = ours + 1) - 1;
    }
    known = frame_of(std::move(name), nowhere ? 0 : segment + 1, nowhere) + 1;
  }
  return known - 1;
}

std::uint32_t call_nodes::find(std::uint32_t parent, std::uint32_t frame_index) const {
  const auto at = below_.find(std::uint64_t{parent} << 32 | frame_index);
  return at == below_.end() ? 0 : at->second;
}

std::uint32_t call_nodes::add(std::uint32_t parent, std::uint32_t frame_index) {
  const auto node = static_cast<std::uint32_t>(parents_.size());
  parents_.push_back(parent);
  frames_.push_back(frame_index);
  below_.emplace(std::uint64_t{parent} << 32 | frame_index, node);
  return node;
}

std::uint32_t call_nodes::node_of(std::span<std::uintptr_t const> frames) {
  std::uint32_t at = 0;
  for (const std::uintptr_t address : frames | std::views::reverse) {
    const std::uint32_t frame_index = frame_of_code(code_.index_of(address));
    if (frame_index == ours) continue;
    std::uint32_t next = find(at, frame_index);
    if (next == 0 && parents_.size() >= most_) {
      const std::uint32_t rest = frame_of(std::string(left_out), 0, true);
      next = find(at, rest);
      return next != 0 ? next : add(at, rest);
    }
    at = next != 0 ? next : add(at, frame_index);
  }
  if (at != 0) return at;
  const std::uint32_t unknown = frame_of("(stack unknown)", 0, true);
  const std::uint32_t node = find(0, unknown);
  return node != 0 ? node : add(0, unknown);
}

std::string call_nodes::tables_as_json() const {
  std::string functions, frames;
  std::unordered_map<std::string_view, std::size_t> numbers;
  for (frame const& f : all_frames_) {
    const auto [at, is_new] = numbers.try_emplace(f.function, numbers.size());
    if (is_new) functions += (functions.empty() ? "" : ",") + text::json_string(f.function);
    frames += (frames.empty() ? "[" : ",[") + std::to_string(at->second) + ",0,0,0,0," +
              std::to_string(f.flags) + ',' + std::to_string(f.module) + ']';
  }
  std::string modules = "\"\"";
  for (modules::code_segment const& s : code_.places().segments) {
    modules += ',' + text::json_string(text::printable(s.path));
  }
  return "\"functions\":[" + functions + "],\"files\":[\"\"],\"modules\":[" + modules +
         "],\"frames\":[" + frames + ']';
}

}  // namespace memprof::endpoints
