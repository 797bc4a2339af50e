// SPDX-License-Identifier: MIT
#include "export/pprof.hpp"

#include <charconv>
#include <chrono>
#include <fmt/format.h>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "export/names.hpp"
#include "pprof/pprof.hpp"

namespace memprof::exports {
namespace {

/// A raw location taken apart (symbolize/resolver.hpp): "BASENAME+0xADDR@BUILDID", the module its
/// file.
struct module_address {
  std::string_view module;
  std::string_view build_id;
  std::uint64_t address = 0;
};

std::optional<module_address> module_address_of(std::span<trace::location const> locations) {
  if (locations.size() != 1) return std::nullopt;
  const std::string_view name = locations[0].defname;
  const std::size_t plus = name.rfind("+0x");
  if (plus == std::string_view::npos || !locations[0].filename.starts_with('/'))
    return std::nullopt;
  module_address result{locations[0].filename, "", 0};
  const std::string_view digits = name.substr(plus + 3);
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), result.address, 16);
  if (error != std::errc{}) return std::nullopt;
  const std::string_view rest = digits.substr(static_cast<std::size_t>(end - digits.data()));
  if (rest.starts_with('@')) {
    result.build_id = rest.substr(1);
  } else if (!rest.empty()) {
    return std::nullopt;
  }
  return result;
}

class pprof_builder {
 public:
  pprof_builder(std::ostream& out, trace::reader const& reader, analysis::code_table const& codes)
      : reader_(reader), codes_(codes), writer_(out) {}

  void write(analysis::usage const& profile, char const* default_type) {
    trace::info const& info = reader_.info();
    writer_.mapping_id({.file = info.executable_name, .build_id = ""});
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
  std::uint64_t location_id(analysis::code_table::id code) {
    if (const auto known = locations_.find(code); known != locations_.end()) return known->second;
    std::uint64_t address = codes_.code(code);
    std::uint64_t in = 1;
    if (const auto raw = module_address_of(reader_.locations(address))) {
      in = writer_.mapping_id({.file = raw->module, .build_id = raw->build_id});
      address = raw->address;
    }
    // Inlined calls are lines of one location, innermost first.
    const std::vector<frame> frames = frames_of(code, codes_);
    lines_.clear();
    for (auto f = frames.rbegin(); f != frames.rend(); ++f) lines_.push_back(line_of(*f));
    return locations_[code] = writer_.add_location(in, address, lines_);
  }

  std::uint64_t location_without_backtrace() {
    if (no_backtrace_ == 0) {
      const pprof::line none = line_of(no_backtrace());
      no_backtrace_ = writer_.add_location(1, 0, {&none, 1});
    }
    return no_backtrace_;
  }

  static pprof::line line_of(frame const& f) { return {f.function, f.file, f.line}; }

  void write_sample(analysis::usage const& profile, analysis::usage_row const& r) {
    trace::info const& info = reader_.info();
    stack_.clear();
    for (auto n = r.stack; n != analysis::stack_tree::root; n = profile.stacks[n].parent) {
      stack_.push_back(location_id(profile.stacks[n].code));
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

  trace::reader const& reader_;
  analysis::code_table const& codes_;
  pprof::profile_writer writer_;
  std::unordered_map<analysis::code_table::id, std::uint64_t> locations_;
  std::uint64_t no_backtrace_ = 0;
  std::vector<std::uint64_t> stack_;
  std::vector<pprof::line> lines_;
};

}  // namespace

void write_pprof(std::ostream& out, analysis::usage const& profile, trace::reader const& reader,
                 char const* default_type) {
  pprof_builder(out, reader, profile.codes).write(profile, default_type);
}

}  // namespace memprof::exports
