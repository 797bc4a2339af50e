// SPDX-License-Identifier: MIT
/// \file
/// The heap profile of a trace, as a writer of profiles takes it: modules, locations, samples.
#pragma once

#include <chrono>
#include <cstdint>
#include <fmt/format.h>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analysis/analysis.hpp"
#include "export/names.hpp"
#include "pprof/pprof.hpp"
#include "symbolize/symbolize.hpp"
#include "trace/trace.hpp"

namespace memprof::exports {

/// A module of locations. The first is the program: locations with names have no other.
struct module_mapping {
  std::string file;
  std::string build_id;  ///< its first digits, as in raw locations
  bool placed = false;   ///< has locations whose addresses are in the module
  bool used = false;     ///< has locations
  std::uint64_t id = 0;  ///< the writer's
  // Of its locations: all that could be looked up have names; any has a source file, any a line.
  bool functions = true, files = false, lines = false;
  std::unique_ptr<symbolize::elf_image> image = nullptr;  ///< if its file is there, and the same
  symbolize::symbol_table symbols = {};                   ///< of it
};

/// \tparam Writer pprof::profile_writer, or one like it: mapping_id, add_location, add_sample,
///   finish.
template <class Writer>
class profile_builder {
 public:
  profile_builder(Writer& writer, trace::legend legend, analysis::code_table const& codes)
      : legend_(legend), codes_(codes), modules_(legend), writer_(writer) {}

  void write(analysis::usage const& profile, char const* default_type) {
    trace::info const& info = legend_.info();
    find_mappings();
    for (module_mapping& module : mappings_) write_mapping(module);
    for (analysis::usage_row const& r : profile.rows) write_sample(profile, r);
    pprof::profile_facts facts{
        .time_nanoseconds = std::chrono::nanoseconds(info.start_time.time_since_epoch()).count(),
        .duration_nanoseconds = std::chrono::nanoseconds(profile.duration).count(),
        .period = info.bytes_of(1),
        .default_type = default_type,
        .comments = {fmt::format(
            "memtrace {}, {} samples of {} blocks; values are unbiased estimates", info.version,
            profile.total.allocated.samples, profile.total.allocated.blocks)}};
    if (!info.context.empty()) facts.comments.push_back("context: " + info.context);
    writer_.finish(facts);
  }

 private:
  /// The code's module and address there.
  [[nodiscard]] std::optional<symbolize::raw_location> place_of(
      analysis::code_table::id code) const {
    const auto locations = legend_.locations(codes_.code(code));
    if (locations.size() == 1) {
      if (const auto raw = symbolize::parse_raw(locations[0])) return raw;
    }
    return modules_.find(codes_.code(code));
  }

  /// The index of a module. The program itself, if it is that, is the first.
  std::size_t mapping_of(symbolize::raw_location const& place) {
    const auto [entry, is_new] = mapping_ids_.try_emplace(
        {std::string(place.module), std::string(place.build_id)}, mappings_.size());
    if (is_new) {
      if (!mappings_.front().placed && place.module == mappings_.front().file) {
        entry->second = 0;
      } else {
        mappings_.emplace_back().file = place.module;
      }
      mappings_[entry->second].build_id = place.build_id;
      mappings_[entry->second].placed = true;
    }
    return entry->second;
  }

  /// Before anything refers to a mapping: what is known of the code in each.
  void find_mappings() {
    mappings_.emplace_back().file = legend_.info().executable_name;
    for (analysis::code_table::id code = 0; code < codes_.size(); ++code) {
      const auto place = place_of(code);
      module_mapping& module = mappings_[place ? mapping_of(*place) : 0];
      module.used = true;
      const auto locations = legend_.locations(codes_.code(code));
      const std::string as_in_trace =
          text::printable(locations.empty() ? "" : locations[0].defname);
      const bool unnamed = locations.size() == 1 && symbolize::parse_raw(locations[0]);
      for (frame const& f : frames_of(code, codes_)) {
        if (unnamed && f.function == as_in_trace) module.functions = false;
        if (f.file.empty() || f.file == text::printable(module.file)) continue;
        module.files = true;
        if (f.line > 0) module.lines = true;
      }
    }
  }

  /// Whether the file is the one that was traced. Without a build id: if it is not younger.
  [[nodiscard]] bool is_same(symbolize::elf_image const& image, std::string_view build_id) const {
    if (!build_id.empty()) return image.build_id().starts_with(build_id);
    const symbolize::file_time since = legend_.info().start_time;
    return image.build_id().empty() &&
           (since == symbolize::file_time{} || image.modified() <= since);
  }

  /// The flags say what was looked up: pprof looks up the rest by itself, and shows instructions
  /// where a mapping covers them. Addresses are those of the file, so the mapping is of the segment
  /// as it was linked.
  void write_mapping(module_mapping& module) {
    std::string build_id = module.build_id;
    pprof::mapping m{.file = module.file,
                     .build_id = {},
                     .has_functions = !module.used || module.functions,
                     .has_files = !module.used || module.files,
                     .has_lines = !module.used || module.lines};
    if (module.placed) {
      std::string reason;
      auto image = symbolize::elf_image::open(module.file, reason);
      if (image && !image->code().empty() && is_same(*image, build_id)) {
        m.start = image->code().front().low;
        m.limit = image->code().front().high;
        m.offset = image->code().front().offset;
        build_id = image->build_id();
        std::vector<symbolize::elf_image::symbol> symbols;
        for (const bool dynamic : {false, true}) {
          if (!symbols.empty() || !memory_.take(image->symbol_bytes(dynamic))) continue;
          symbols = image->functions(dynamic);
        }
        module.symbols = symbolize::symbol_table(std::move(symbols));
        module.image = std::move(image);
      }
    }
    m.build_id = build_id;
    module.id = writer_.mapping_id(m);
  }

  std::uint64_t location_id(analysis::code_table::id code) {
    if (const auto known = locations_.find(code); known != locations_.end()) return known->second;
    std::uint64_t address = codes_.code(code);
    std::size_t in = 0;
    std::string_view symbol;
    if (const auto place = place_of(code)) {
      in = mapping_of(*place);
      address = place->address;
      symbol = mappings_[in].symbols.find(address);
    }
    // Inlined calls are lines of one location, innermost first.
    const std::vector<frame> frames = frames_of(code, codes_);
    lines_.clear();
    for (auto f = frames.rbegin(); f != frames.rend(); ++f) lines_.push_back(line_of(*f));
    lines_.back().symbol = symbol;  // that of the function which the others are inlined into
    return locations_[code] = writer_.add_location(mappings_[in].id, address, lines_);
  }

  std::uint64_t location_without_backtrace() {
    if (no_backtrace_ == 0) {
      const pprof::line none = line_of(no_backtrace());
      no_backtrace_ = writer_.add_location(mappings_[0].id, 0, {&none, 1});
    }
    return no_backtrace_;
  }

  static pprof::line line_of(frame const& f) { return {f.function, f.file, f.line, {}}; }

  void write_sample(analysis::usage const& profile, analysis::usage_row const& r) {
    trace::info const& info = legend_.info();
    stack_.clear();
    for (auto n = r.stack; n != analysis::stack_tree::root; n = profile.stacks.parent(n)) {
      stack_.push_back(location_id(profile.stacks.code(n)));
    }
    if (stack_.empty()) stack_.push_back(location_without_backtrace());
    const auto bytes = [&](auto samples) { return info.bytes_of(static_cast<double>(samples)); };
    writer_.add_sample(stack_,
                       {.allocated_objects = r.sums.allocated.objects,
                        .allocated_bytes = bytes(r.sums.allocated.samples),
                        .in_use_objects = r.sums.in_use.objects,
                        .in_use_bytes = bytes(r.sums.in_use.samples)},
                       static_cast<double>(r.length) * info.word_bytes());
  }

  trace::legend legend_;
  analysis::code_table const& codes_;
  symbolize::noted_modules modules_;
  Writer& writer_;
  symbolize::memory_budget memory_ = symbolize::memory_budget::of_this_machine();
  std::vector<module_mapping> mappings_;  // in the order of their ids
  std::map<std::pair<std::string, std::string>, std::size_t> mapping_ids_;  // indexes
  std::unordered_map<analysis::code_table::id, std::uint64_t> locations_;
  std::uint64_t no_backtrace_ = 0;
  std::vector<std::uint64_t> stack_;
  std::vector<pprof::line> lines_;
};

}  // namespace memprof::exports
