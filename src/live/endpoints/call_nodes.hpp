// SPDX-License-Identifier: MIT
/// \file
/// Stacks as a tree of calls, as the page takes them: docs/serve.md, "The index".
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "endpoints/called_code.hpp"

namespace memprof::endpoints {

/// Node 0 is the root; a parent comes before its children. A function is a frame once for each
/// module; a call that is known by its address alone is a frame by itself. Functions of this
/// library are left out.
class call_nodes {
 public:
  /// Beyond, the inner calls of further stacks are one node, `left_out`.
  static constexpr std::size_t usual_most = 1'000'000;
  static constexpr std::string_view left_out = "(calls left out)";

  /// \param code that all stacks are of, named. Must outlive this.
  explicit call_nodes(called_code const& code, std::size_t most = usual_most);

  /// The node of a stack: return addresses, innermost first.
  std::uint32_t node_of(std::span<std::uintptr_t const> frames);

  [[nodiscard]] std::vector<std::uint32_t> const& parents() const noexcept { return parents_; }
  [[nodiscard]] std::vector<std::uint32_t> const& frames() const noexcept { return frames_; }
  /// The head's "functions", "files", "modules" and "frames", with their names.
  [[nodiscard]] std::string tables_as_json() const;

 private:
  static constexpr std::uint32_t ours = ~std::uint32_t{1};
  struct frame {
    std::string function;
    std::uint32_t module;
    unsigned flags;
  };

  std::uint32_t frame_of(std::string function, std::uint32_t module, bool unnamed);
  /// `ours`: not shown.
  std::uint32_t frame_of_code(std::size_t code);
  /// 0: there is none.
  [[nodiscard]] std::uint32_t find(std::uint32_t parent, std::uint32_t frame_index) const;
  std::uint32_t add(std::uint32_t parent, std::uint32_t frame_index);

  called_code const& code_;
  std::size_t most_;
  std::vector<std::uint32_t> parents_{0}, frames_{0};
  std::unordered_map<std::uint64_t, std::uint32_t> below_;  // by parent and frame
  std::vector<std::uint32_t> frames_of_code_;               // 1 more; 0: not looked at
  std::vector<frame> all_frames_;
  std::unordered_map<std::string, std::uint32_t> numbers_;  // of frames, by module and function
};

}  // namespace memprof::endpoints
