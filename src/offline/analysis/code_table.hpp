// SPDX-License-Identifier: MIT
/// \file
/// The codes of a trace and their names, each looked up once.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "analysis/flat_index.hpp"
#include "analysis/name_pattern.hpp"
#include "analysis/thread_groups.hpp"
#include "symbolize/symbolize.hpp"
#include "trace/trace.hpp"

namespace memprof::analysis {

/// Names as small integers: equal names, equal ids.
class name_table {
 public:
  using id = std::uint32_t;
  id intern(std::string_view name);
  [[nodiscard]] std::string const& text(id i) const { return names_[i]; }
  [[nodiscard]] std::size_t size() const noexcept { return names_.size(); }

 private:
  std::deque<std::string> names_;  // does not move what it holds
  std::unordered_map<std::string_view, id> ids_;
};

/// A location, its names interned.
///
///  - `inlined`: the compiler put this call into the code of the one around it.
struct frame {
  name_table::id function = 0;
  name_table::id file = 0;
  std::uint32_t line = 0;
  std::uint32_t start_char = 0;
  std::uint32_t end_char = 0;
  bool inlined = false;

  friend bool operator==(frame const&, frame const&) = default;
};

/// How frames are named, and which of them count. Frames of memprof itself never do (own_frames).
///
///  - `names`: null: as in the trace.
///  - `hide`: frames of functions that match one of these are left out.
///  - `hide_allocation_functions`: and those of page_columns::only_passes_memory_on.
///  - `marks`: what marks() returns: bit i for patterns i (at most 64).
///  - `threads`: what the codes of threads are called; null: they do not occur.
struct naming {
  struct mark_pattern {
    name_pattern pattern;
    bool of_file = false;
  };
  std::shared_ptr<symbolize::resolver> names;
  std::vector<name_pattern> hide;
  std::vector<mark_pattern> marks;
  std::shared_ptr<thread_groups const> threads{};
  bool hide_allocation_functions = false;
};

/// Codes as small integers, with their frames. Owns all that it returns, so it outlives
/// the trace.
class code_table {
 public:
  using id = std::uint32_t;
  explicit code_table(naming how = {}) : how_(std::move(how)) {}

  /// \throws trace::format_error for a code that the trace did not announce.
  id find(trace::location_code code, trace::legend legend) {
    std::uint32_t& place = index_.find(code);
    if (place != flat_index::none) return place;
    return add(code, legend, place);
  }
  [[nodiscard]] trace::location_code code(id i) const { return codes_[i].code; }
  /// Outermost first; without the hidden ones and memprof's own.
  [[nodiscard]] std::span<frame const> frames(id i) const {
    return std::span(frames_).subspan(codes_[i].first, codes_[i].count);
  }
  /// Which marks match one of the code's locations, hidden ones too.
  [[nodiscard]] std::uint64_t marks(id i) const { return codes_[i].marks; }
  /// The trace says something of it, hidden or not.
  [[nodiscard]] bool is_known(id i) const { return codes_[i].known; }
  /// The path of its module if the trace names the code by module and address; else empty.
  [[nodiscard]] std::string const& module(id i) const {
    return names_->modules.text(codes_[i].module);
  }
  [[nodiscard]] std::size_t size() const noexcept { return codes_.size(); }

  [[nodiscard]] name_table const& functions() const noexcept { return names_->functions; }
  [[nodiscard]] name_table const& files() const noexcept { return names_->files; }

 private:
  struct entry {
    trace::location_code code = 0;
    std::uint64_t marks = 0;
    std::size_t first = 0;
    std::uint32_t count = 0;
    name_table::id module = 0;
    bool known = false;
  };
  id add_thread(trace::location_code code, std::uint32_t& place);
  id add(trace::location_code code, trace::legend legend, std::uint32_t& place);

  struct all_names {
    name_table functions, files, modules;
  };

  naming how_;
  symbolize::whole_names whole_;
  flat_index index_;
  std::vector<entry> codes_;
  std::vector<frame> frames_;
  std::shared_ptr<all_names> names_ = std::make_shared<all_names>();
};

}  // namespace memprof::analysis
