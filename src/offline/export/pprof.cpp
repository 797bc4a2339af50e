// SPDX-License-Identifier: MIT
#include "export/pprof.hpp"

#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "export/gzip.hpp"
#include "export/names.hpp"
#include "export/protobuf.hpp"

namespace memprof::exports {
namespace {

/// Field numbers of profile.proto.
enum profile_field : unsigned {
  sample_type = 1,
  sample = 2,
  mapping = 3,
  location = 4,
  function = 5,
  string_table = 6,
  time_nanos = 9,
  duration_nanos = 10,
  period_type = 11,
  period = 12,
  comment = 13,
  default_sample_type = 14
};

constexpr std::array<std::pair<char const*, char const*>, 4> sample_types{
    {{"alloc_objects", "count"},
     {"alloc_space", "bytes"},
     {"inuse_objects", "count"},
     {"inuse_space", "bytes"}}};

std::uint64_t rounded(double value) {
  return value > 0 ? static_cast<std::uint64_t>(std::llround(std::min(value, 0x1p62))) : 0;
}

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
      : reader_(reader), codes_(codes), zip_(out) {
    string("");
  }

  void write(analysis::usage const& profile, char const* default_type) {
    for (auto const& [name, unit] : sample_types) put(sample_type, value_type(name, unit));
    mapping_id(reader_.info().executable_name, "");
    for (analysis::usage_row const& r : profile.rows) write_sample(profile, r);
    trace::info const& info = reader_.info();
    protobuf rest;
    rest.number(time_nanos,
                static_cast<std::uint64_t>(
                    std::chrono::nanoseconds(info.start_time.time_since_epoch()).count()));
    rest.number(duration_nanos,
                static_cast<std::uint64_t>(std::chrono::nanoseconds(profile.duration).count()));
    rest.message(period_type, value_type("space", "bytes"));
    rest.number(period, std::max<std::uint64_t>(1, rounded(info.bytes_of(1))));
    rest.number(default_sample_type, string(default_type));
    rest.number(comment, string(fmt::format(
                             "memtrace {}, {} samples of {} blocks; values are unbiased estimates",
                             info.version, profile.total.allocated.samples,
                             profile.total.allocated.blocks)));
    if (!info.context.empty()) rest.number(comment, string("context: " + info.context));
    zip_.write(rest.text());
    for (std::string const* s : strings_) {
      protobuf one;
      one.bytes(string_table, *s);
      zip_.write(one.text());
    }
    zip_.finish();
  }

 private:
  std::uint64_t string(std::string text) {
    const auto [entry, is_new] = string_ids_.try_emplace(utf8(text), strings_.size());
    if (is_new) strings_.push_back(&entry->first);
    return entry->second;
  }
  protobuf value_type(char const* name, char const* unit) {
    protobuf m;
    m.number(1, string(name));
    m.number(2, string(unit));
    return m;
  }
  void put(profile_field field, protobuf const& m) {
    protobuf whole;
    whole.message(field, m);
    zip_.write(whole.text());
  }

  /// Mapping 1 is the program itself; that of a raw location is its module. The last four fields
  /// say that names were already looked up.
  std::uint64_t mapping_id(std::string_view file, std::string_view build_id) {
    const std::uint64_t f = string(std::string(file));
    const std::uint64_t b = string(std::string(build_id));
    const auto [entry, is_new] = mappings_.try_emplace({f, b}, mappings_.size() + 1);
    if (is_new) {
      protobuf m;
      m.number(1, entry->second);
      m.number(5, f);
      m.number(6, b);
      for (const unsigned has : {7U, 8U, 9U, 10U}) m.number(has, 1);
      put(mapping, m);
    }
    return entry->second;
  }

  std::uint64_t function_id(std::string name, std::string file) {
    const std::uint64_t n = string(std::move(name));
    const std::uint64_t f = string(std::move(file));
    const auto [entry, is_new] = functions_[n].try_emplace(f, function_count_ + 1);
    if (is_new) {
      ++function_count_;
      protobuf m;
      m.number(1, entry->second);
      m.number(2, n);
      m.number(3, n);
      m.number(4, f);
      put(function, m);
    }
    return entry->second;
  }

  std::uint64_t location_id(analysis::code_table::id code) {
    if (const auto known = locations_.find(code); known != locations_.end()) return known->second;
    protobuf m;
    const std::uint64_t id = ++location_count_;
    locations_.emplace(code, id);
    std::uint64_t address = codes_.code(code);
    std::uint64_t in = 1;
    if (const auto raw = module_address_of(reader_.locations(address))) {
      in = mapping_id(raw->module, raw->build_id);
      address = raw->address;
    }
    m.number(1, id);
    m.number(2, in);
    m.number(3, address);
    // Inlined calls are lines of one location, innermost first.
    const std::vector<frame> frames = frames_of(code, codes_);
    for (auto f = frames.rbegin(); f != frames.rend(); ++f) m.message(4, line_of(*f));
    put(location, m);
    return id;
  }

  std::uint64_t location_without_backtrace() {
    if (no_backtrace_ != 0) return no_backtrace_;
    no_backtrace_ = ++location_count_;
    protobuf m;
    m.number(1, no_backtrace_);
    m.number(2, 1);
    m.message(4, line_of(no_backtrace()));
    put(location, m);
    return no_backtrace_;
  }

  protobuf line_of(frame const& f) {
    protobuf line;
    line.number(1, function_id(f.function, f.file));
    line.number(2, f.line);
    return line;
  }

  void write_sample(analysis::usage const& profile, analysis::usage_row const& r) {
    trace::info const& info = reader_.info();
    stack_.clear();
    for (auto n = r.stack; n != analysis::stack_tree::root; n = profile.stacks[n].parent) {
      stack_.push_back(location_id(profile.stacks[n].code));
    }
    if (stack_.empty()) stack_.push_back(location_without_backtrace());
    const std::array<std::uint64_t, 4> values{
        rounded(r.sums.allocated.objects),
        rounded(info.bytes_of(static_cast<double>(r.sums.allocated.samples))),
        rounded(r.sums.in_use.objects),
        rounded(info.bytes_of(static_cast<double>(r.sums.in_use.samples)))};
    protobuf m;
    m.packed(1, stack_);
    m.packed(2, values);
    protobuf label;
    label.number(1, string("bytes"));
    label.number(3, rounded(static_cast<double>(r.length) * info.word_bytes()));
    label.number(4, string("bytes"));
    m.message(3, label);
    put(sample, m);
  }

  trace::reader const& reader_;
  analysis::code_table const& codes_;
  gzip_writer zip_;
  std::unordered_map<std::string, std::uint64_t> string_ids_;
  std::vector<std::string const*> strings_;
  std::unordered_map<std::uint64_t, std::unordered_map<std::uint64_t, std::uint64_t>> functions_;
  std::uint64_t function_count_ = 0;
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint64_t> mappings_;
  std::unordered_map<analysis::code_table::id, std::uint64_t> locations_;
  std::uint64_t location_count_ = 0;
  std::uint64_t no_backtrace_ = 0;
  std::vector<std::uint64_t> stack_;
};

}  // namespace

void write_pprof(std::ostream& out, analysis::usage const& profile, trace::reader const& reader,
                 char const* default_type) {
  pprof_builder(out, reader, profile.codes).write(profile, default_type);
}

}  // namespace memprof::exports
