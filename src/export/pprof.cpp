// SPDX-License-Identifier: MIT
#include "export/pprof.hpp"

#include <array>
#include <chrono>
#include <cmath>
#include <ostream>
#include <string>
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

class builder {
 public:
  builder(std::ostream& out, trace::reader const& reader) : reader_(reader), zip_(out) {
    string("");
  }

  void write(analysis::stack_profile const& profile, char const* default_type) {
    for (auto const& [name, unit] : sample_types) put(sample_type, value_type(name, unit));
    write_mapping();
    for (analysis::stack_row const& r : profile.rows) write_sample(profile, r);
    trace::info const& info = reader_.info();
    protobuf rest;
    rest.number(time_nanos, static_cast<std::uint64_t>(
                                std::chrono::nanoseconds(info.start_time.time_since_epoch()).count()));
    rest.number(duration_nanos,
                static_cast<std::uint64_t>(std::chrono::nanoseconds(profile.end).count()));
    rest.message(period_type, value_type("space", "bytes"));
    rest.number(period, std::max<std::uint64_t>(1, rounded(info.bytes_of(1))));
    rest.number(default_sample_type, string(default_type));
    rest.number(comment, string("memtrace " + std::to_string(info.version) + ", " +
                                std::to_string(profile.samples) + " samples of " +
                                std::to_string(profile.blocks) +
                                " blocks; values are unbiased estimates"));
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
    const auto [place, is_new] = string_ids_.try_emplace(utf8(text), strings_.size());
    if (is_new) strings_.push_back(&place->first);
    return place->second;
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

  /// The one mapping: a trace tells nothing of modules. All has been looked up, says the rest.
  void write_mapping() {
    protobuf m;
    m.number(1, 1);
    m.number(5, string(reader_.info().executable_name));
    for (const unsigned has : {7U, 8U, 9U, 10U}) m.number(has, 1);
    put(mapping, m);
  }

  std::uint64_t function_id(std::string name, std::string file) {
    const std::uint64_t n = string(std::move(name));
    const std::uint64_t f = string(std::move(file));
    const auto [place, is_new] = functions_[n].try_emplace(f, function_count_ + 1);
    if (is_new) {
      ++function_count_;
      protobuf m;
      m.number(1, place->second);
      m.number(2, n);
      m.number(3, n);
      m.number(4, f);
      put(function, m);
    }
    return place->second;
  }

  std::uint64_t location_id(trace::location_code code) {
    if (const auto known = locations_.find(code); known != locations_.end()) return known->second;
    const std::uint64_t id = locations_.size() + 1;
    locations_.emplace(code, id);
    protobuf m;
    m.number(1, id);
    m.number(2, 1);
    m.number(3, code);
    const std::vector<frame> frames = frames_of(code, reader_);
    for (auto f = frames.rbegin(); f != frames.rend(); ++f) {  // innermost first
      protobuf line;
      line.number(1, function_id(f->function, f->file));
      line.number(2, f->line);
      m.message(4, line);
    }
    put(location, m);
    return id;
  }

  void write_sample(analysis::stack_profile const& profile, analysis::stack_row const& r) {
    trace::info const& info = reader_.info();
    stack_.clear();
    for (auto n = r.stack; n != analysis::stack_index::root; n = profile.stacks.parent(n)) {
      stack_.push_back(location_id(profile.stacks.code(n)));
    }
    if (stack_.empty()) stack_.push_back(location_id(0));
    const std::array<std::uint64_t, 4> values{
        rounded(r.allocated.blocks),
        rounded(info.bytes_of(static_cast<double>(r.allocated.samples))), rounded(r.live.blocks),
        rounded(info.bytes_of(static_cast<double>(r.live.samples)))};
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
  gzip_writer zip_;
  std::unordered_map<std::string, std::uint64_t> string_ids_;
  std::vector<std::string const*> strings_;
  std::unordered_map<std::uint64_t, std::unordered_map<std::uint64_t, std::uint64_t>> functions_;
  std::uint64_t function_count_ = 0;
  std::unordered_map<trace::location_code, std::uint64_t> locations_;
  std::vector<std::uint64_t> stack_;
};

}  // namespace

void write_pprof(std::ostream& out, analysis::stack_profile const& profile,
                 trace::reader const& reader, char const* default_type) {
  builder(out, reader).write(profile, default_type);
}

}  // namespace memprof::exports
