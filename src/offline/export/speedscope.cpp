// SPDX-License-Identifier: MIT
#include "export/speedscope.hpp"

#include <cmath>
#include <fmt/ostream.h>
#include <fmt/ranges.h>
#include <map>
#include <ostream>
#include <ranges>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "export/names.hpp"

namespace memprof::exports {
namespace {

class speedscope_builder {
 public:
  speedscope_builder(std::ostream& out, analysis::usage const& profile, trace::info const& info)
      : out_(out), profile_(profile), info_(info) {}

  void write(std::string_view name, std::string_view version) {
    // Frames come before the rows in the file, numbered in the order in which the rows have them.
    for (analysis::usage_row const& r : profile_.rows) number_frames(r.stack);
    fmt::print(out_, R"({{"$schema":"https://www.speedscope.app/file-format-schema.json",
"exporter":{},
"name":{},
"activeProfileIndex":0,
"shared":{{"frames":[
{}
]}},
"profiles":[
)",
               json_string(fmt::format("memprof@{}", version)), json_string(name),
               fmt::join(frames_, ",\n"));
    write_profile("allocated", [](auto const& r) { return r.sums.allocated.samples; });
    out_ << ",\n";
    write_profile("in use at the peak", [](auto const& r) { return r.sums.at_peak.samples; });
    out_ << ",\n";
    write_profile("in use at the end", [](auto const& r) { return r.sums.in_use.samples; });
    out_ << "\n]}\n";
  }

 private:
  /// The numbers of a code's frames, outermost first.
  std::string const& numbers(analysis::code_table::id code) {
    const auto [entry, is_new] = codes_.try_emplace(code);
    if (!is_new) return entry->second;
    for (frame const& f : frames_of(code, profile_.codes)) {
      if (!entry->second.empty()) entry->second += ',';
      entry->second += number(f);
    }
    return entry->second;
  }

  std::string number(frame const& f) {
    const auto [known, first] =
        frame_numbers_.try_emplace({f.function, f.file, f.line, f.column}, frames_.size());
    if (first) frames_.push_back(frame_text(f));
    return fmt::format("{}", known->second);
  }

  static std::string frame_text(frame const& f) {
    std::string text = "{\"name\":" + json_string(f.function);
    if (!f.file.empty()) text += ",\"file\":" + json_string(f.file);
    if (f.line > 0) text += fmt::format(R"(,"line":{})", f.line);
    if (f.line > 0 && f.column > 0) text += fmt::format(R"(,"col":{})", f.column);
    return text + "}";
  }

  /// Innermost first; until the next call.
  std::vector<analysis::code_table::id> const& path_of(analysis::stack_tree::node_id stack) {
    path_.clear();
    for (auto n = stack; n != analysis::stack_tree::root; n = profile_.stacks.parent(n)) {
      path_.push_back(profile_.stacks.code(n));
    }
    return path_;
  }

  void number_frames(analysis::stack_tree::node_id stack) {
    if (stack == analysis::stack_tree::root) no_backtrace_ = number(no_backtrace());
    for (const auto code : std::views::reverse(path_of(stack))) numbers(code);
  }

  void write_stack(analysis::stack_tree::node_id stack) {
    out_ << '[';
    if (stack == analysis::stack_tree::root) out_ << no_backtrace_;
    char const* between = "";
    for (const auto code : std::views::reverse(path_of(stack))) {
      out_ << between << numbers(code);
      between = ",";
    }
    out_ << ']';
  }

  template <class Samples>
  void write_profile(char const* name, Samples samples) {
    std::string weights;
    double total = 0;
    fmt::print(out_, R"({{"type":"sampled","name":"{}","unit":"bytes","startValue":0,"samples":[)",
               name);
    char const* between = "";
    for (analysis::usage_row const& r : profile_.rows) {
      const auto n = static_cast<double>(samples(r));
      if (n <= 0) continue;
      const double bytes = std::round(info_.bytes_of(n));
      total += bytes;
      out_ << between;
      write_stack(r.stack);
      weights += fmt::format("{}{}", between, whole(bytes));
      between = ",\n";
    }
    fmt::print(out_, "],\n\"weights\":[{}],\"endValue\":{}}}", weights, whole(total));
  }

  static std::uint64_t whole(double value) {
    return static_cast<std::uint64_t>(std::min(value, 0x1p63));
  }

  std::ostream& out_;
  analysis::usage const& profile_;
  trace::info const& info_;
  std::unordered_map<analysis::code_table::id, std::string> codes_;
  std::map<std::tuple<std::string, std::string, std::uint32_t, std::uint32_t>, std::size_t>
      frame_numbers_;
  std::vector<std::string> frames_;
  std::string no_backtrace_;
  std::vector<analysis::code_table::id> path_;
};

}  // namespace

void write_speedscope(std::ostream& out, analysis::usage const& profile, trace::info const& info,
                      std::string_view name, std::string_view version) {
  speedscope_builder(out, profile, info).write(name, version);
}

}  // namespace memprof::exports
