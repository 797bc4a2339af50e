// SPDX-License-Identifier: MIT
#include "tools/run/held_stacks.hpp"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fmt/format.h>
#include <map>
#include <unordered_map>

namespace memprof::tools {
namespace {

using std::chrono::microseconds;

constexpr std::size_t most_functions = 6;
constexpr std::size_t room_for_name = 40;
constexpr std::size_t room_for_stack = 110;

/// What programs call the functions through which all of their requests go: Python's, redis's,
/// those of libiberty and glib. A single large caller hides them from find_wrappers.
constexpr char const* known_wrappers[] = {
    "_PyObject_Malloc", "_PyObject_Calloc", "_PyObject_Realloc", "_PyMem_RawMalloc", "zmalloc",
    "zmalloc_usable",   "zcalloc",          "zrealloc",          "xmalloc",          "xcalloc",
    "xrealloc",         "g_malloc",         "g_malloc0",         "g_realloc"};

/// A call of a stack; without a name, the code is named by module and address.
struct call {
  std::string function;
  std::string place;
  bool named = false;
};

/// Innermost first, without repetitions of one function, and without what calls main.
std::vector<call> calls_of(analysis::usage const& u, analysis::stack_tree::node_id stack) {
  std::vector<call> calls;
  for (; stack != analysis::stack_tree::root; stack = u.stacks.parent(stack)) {
    const auto frames = u.codes.frames(u.stacks.code(stack));
    for (std::size_t i = frames.size(); i-- > 0;) {
      std::string const& name = u.codes.functions().text(frames[i].function);
      std::string const& file = u.codes.files().text(frames[i].file);
      if (!calls.empty() && calls.back().function == name) continue;
      if (!calls.empty() && calls.back().function == "main") return calls;
      const trace::location l{
          .filename = file, .defname = name, .line = 1, .start_char = 0, .end_char = 0};
      const auto raw = symbolize::parse_raw(l);
      call c{.function = raw ? name.substr(0, name.find('@')) : name,
             .place = {},
             .named = !raw && !name.empty()};
      if (c.named && frames[i].line > 0) {
        c.place = fmt::format(" ({}:{})", std::filesystem::path(file).filename().string(),
                              frames[i].line);
      }
      calls.push_back(std::move(c));
    }
  }
  return calls;
}

std::string text_of(std::vector<call> const& calls) {
  if (calls.empty()) return "(no stack)";
  std::string text;
  std::size_t shown = 0;
  for (call const& c : calls) {
    std::string next = symbolize::brief_name(c.function, room_for_name, symbolize::ascii_elision);
    if (shown == 0) next += c.place;
    if (shown == most_functions || text.size() + next.size() > room_for_stack) {
      return text + " < ...";
    }
    text += (shown++ > 0 ? " < " : "") + next;
  }
  return text;
}

std::string const& culprit_of(std::vector<call> const& calls) {
  static const std::string nobody = "code without a name";
  const auto first = std::ranges::find_if(calls, &call::named);
  if (first != calls.end()) return first->function;
  return calls.empty() ? nobody : calls.front().function;
}

struct row_of_text {
  std::uint64_t samples = 0;
  microseconds first{0};
};

struct aged_usage {
  analysis::usage usage;
  std::unordered_map<std::uint32_t, microseconds> first;  ///< by row: its oldest block
};

aged_usage read_snapshot(recorder::live_snapshot const& of,
                         analysis::usage_options const& options) {
  const trace::legend legend = trace::legend::of(of);
  analysis::usage_builder builder(of.info(), options);
  aged_usage result;
  of.for_each_event([&](trace::event const& e) {
    if (auto const* const block = builder.add(e, legend)) {
      result.first.try_emplace(block->row, e.time);  // they come by age
    }
  });
  result.usage = builder.finish();
  return result;
}

}  // namespace

held_stacks find_held_stacks(recorder::live_snapshot const& of,
                             std::shared_ptr<symbolize::resolver> const& names) {
  analysis::usage_options options{.chosen = {}, .names = names};
  options.hide_allocation_functions = true;
  for (char const* const name : known_wrappers) {
    options.chosen.hide.emplace_back(std::string("=") + name);
  }
  for (auto const& f : analysis::find_wrappers(read_snapshot(of, options).usage).functions) {
    options.chosen.hide.emplace_back("=" + f);
  }
  const aged_usage read_all = read_snapshot(of, options);
  analysis::usage const& u = read_all.usage;

  std::map<std::string, row_of_text> by_text;
  std::map<std::string, std::uint64_t> by_culprit;
  for (std::uint32_t i = 0; i < u.rows.size(); ++i) {
    const std::vector<call> calls = calls_of(u, u.rows[i].stack);
    const std::uint64_t samples = u.rows[i].sums.in_use.samples;
    const microseconds first = read_all.first.at(i);
    const auto [at, fresh] = by_text.try_emplace(text_of(calls), row_of_text{0, first});
    at->second.samples += samples;
    at->second.first = std::min(at->second.first, first);
    by_culprit[culprit_of(calls)] += samples;
  }

  held_stacks result;
  const auto all = static_cast<double>(u.total.in_use.samples);
  const microseconds now = of.age();
  analysis::sample_errors errors(u.info);
  for (auto const& [text, row] : by_text) {
    result.stacks.push_back({.text = text,
                             .amount = errors.estimate(row.samples),
                             .share = static_cast<double>(row.samples) / all,
                             .oldest = now - row.first});
  }
  std::ranges::stable_sort(result.stacks, std::ranges::greater{}, &held_stack::share);
  const auto most =
      std::ranges::max_element(by_culprit, {}, [](auto const& c) { return c.second; });
  if (most != by_culprit.end()) {
    result.culprit = most->first;
    result.share_of_culprit = static_cast<double>(most->second) / all;
  }
  return result;
}

}  // namespace memprof::tools
