// SPDX-License-Identifier: MIT
#include "pprof/profile_writer.hpp"

#include <algorithm>

#include "text/text.hpp"

namespace memprof::pprof {
namespace {

/// Field numbers of profile.proto.
enum profile_field : unsigned {
  sample_type_field = 1,
  sample_field = 2,
  mapping_field = 3,
  location_field = 4,
  function_field = 5,
  string_table_field = 6,
  time_nanos_field = 9,
  duration_nanos_field = 10,
  period_type_field = 11,
  period_field = 12,
  comment_field = 13,
  default_sample_type_field = 14
};

}  // namespace

profile_writer::profile_writer(std::ostream& out) : zip_(out) {
  string("");
  for (auto const& [name, unit] : sample_types) put(sample_type_field, value_type(name, unit));
}

std::uint64_t profile_writer::string(std::string_view text) {
  const auto [entry, is_new] = string_ids_.try_emplace(text::printable(text), strings_.size());
  if (is_new) strings_.push_back(&entry->first);
  return entry->second;
}

protobuf profile_writer::value_type(char const* name, char const* unit) {
  protobuf m;
  m.number(1, string(name));
  m.number(2, string(unit));
  return m;
}

void profile_writer::put(unsigned field, protobuf const& m) {
  protobuf whole;
  whole.message(field, m);
  zip_.write(whole.text());
}

std::uint64_t profile_writer::mapping_id(mapping const& m) {
  const std::uint64_t file = string(m.file);
  const std::uint64_t build_id = string(m.build_id);
  const auto [entry, is_new] =
      mappings_.try_emplace({file, build_id, m.start}, mappings_.size() + 1);
  if (is_new) {
    protobuf one;
    one.number(1, entry->second);
    one.number(2, m.start);
    one.number(3, m.limit);
    one.number(4, m.offset);
    one.number(5, file);
    one.number(6, build_id);
    one.number(7, m.has_functions ? 1 : 0);
    one.number(8, m.has_files ? 1 : 0);
    one.number(9, m.has_lines ? 1 : 0);
    one.number(10, m.has_lines ? 1 : 0);  // inlined calls
    put(mapping_field, one);
  }
  return entry->second;
}

std::uint64_t profile_writer::function_id(line const& l) {
  const std::uint64_t name = string(l.function);
  const std::uint64_t symbol = l.symbol.empty() ? name : string(l.symbol);
  const std::uint64_t file = string(l.file);
  const auto [entry, is_new] = functions_.try_emplace({name, symbol, file}, functions_.size() + 1);
  if (is_new) {
    protobuf m;
    m.number(1, entry->second);
    m.number(2, name);
    m.number(3, symbol);
    m.number(4, file);
    put(function_field, m);
  }
  return entry->second;
}

std::uint64_t profile_writer::add_location(std::uint64_t in_mapping, std::uint64_t address,
                                           std::span<line const> lines) {
  protobuf m;
  m.number(1, ++location_count_);
  m.number(2, in_mapping);
  m.number(3, address);
  for (line const& l : lines) {
    protobuf one;
    one.number(1, function_id(l));
    one.number(2, l.number);
    m.message(4, one);
  }
  put(location_field, m);
  return location_count_;
}

void profile_writer::add_sample(std::span<std::uint64_t const> stack, heap_values const& values,
                                double block_bytes,
                                std::span<std::pair<std::string, std::string> const> labels) {
  protobuf m;
  m.packed(1, stack);
  m.packed(2, rounded(values));
  if (block_bytes > 0) {
    protobuf label;
    label.number(1, string("bytes"));
    label.number(3, rounded(block_bytes));
    label.number(4, string("bytes"));
    m.message(3, label);
  }
  for (auto const& [key, value] : labels) {
    protobuf label;
    label.number(1, string(key));
    label.number(2, string(value));
    m.message(3, label);
  }
  put(sample_field, m);
}

void profile_writer::finish(profile_facts const& facts) {
  protobuf rest;
  rest.number(time_nanos_field, natural(facts.time_nanoseconds));
  rest.number(duration_nanos_field, natural(facts.duration_nanoseconds));
  rest.message(period_type_field, value_type("space", "bytes"));
  rest.number(period_field, std::max<std::uint64_t>(1, rounded(facts.period)));
  rest.number(default_sample_type_field, string(facts.default_type));
  for (std::string const& text : facts.comments) rest.number(comment_field, string(text));
  zip_.write(rest.text());
  for (std::string const* s : strings_) {
    protobuf one;
    one.bytes(string_table_field, *s);
    zip_.write(one.text());
  }
  zip_.finish();
}

}  // namespace memprof::pprof
