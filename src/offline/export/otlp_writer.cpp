// SPDX-License-Identifier: MIT
#include "export/otlp_writer.hpp"

#include <algorithm>
#include <filesystem>
#include <ostream>
#include <utility>

#include "memprof/version.hpp"

#include "text/text.hpp"

namespace memprof::exports {
namespace {

/// Field numbers of ProfilesDictionary.
enum dictionary_field : unsigned {
  mapping_table = 1,
  location_table = 2,
  function_table = 3,
  link_table = 4,
  string_table = 5,
  attribute_table = 6,
  stack_table = 7
};

using pprof::natural;
using pprof::rounded;
using pprof::sample_types;

pprof::protobuf text_value(std::string_view text) {
  pprof::protobuf value;
  value.bytes(1, text::printable(text));
  return value;
}

/// A KeyValue of a resource, whose keys are texts.
pprof::protobuf key_value(std::string_view key, pprof::protobuf const& value) {
  pprof::protobuf m;
  m.bytes(1, key);
  m.message(2, value);
  return m;
}

pprof::protobuf resource_of(trace::info const& process) {
  pprof::protobuf resource, pid;
  const auto add = [&](std::string_view key, std::string_view text) {
    if (!text.empty()) resource.message(1, key_value(key, text_value(text)));
  };
  add("host.name", process.host_name);
  add("process.executable.path", process.executable_name);
  add("process.executable.name",
      std::filesystem::path(process.executable_name).filename().native());
  pid.number(3, process.pid);
  if (process.pid != 0) resource.message(1, key_value("process.pid", pid));
  return resource;
}

}  // namespace

std::uint64_t otlp_writer::table::add(unsigned field, message const& element) {
  message m;
  m.message(field, element);
  elements += m.text();
  return size++;
}

otlp_writer::otlp_writer(std::ostream& out, trace::info const& process)
    : out_(out), process_(process) {
  string("");
  mappings_.add(mapping_table, {});
  locations_.add(location_table, {});
  functions_.add(function_table, {});
  links_.add(link_table, {});
  attributes_.add(attribute_table, {});
  stacks_.add(stack_table, {});
}

std::uint64_t otlp_writer::string(std::string_view text) {
  const auto [entry, is_new] = string_ids_.try_emplace(text::printable(text), strings_.size);
  if (is_new) {
    message m;
    m.bytes(string_table, entry->first);
    strings_.elements += m.text();
    ++strings_.size;
  }
  return entry->second;
}

std::uint64_t otlp_writer::attribute(std::string_view key, std::string_view text) {
  message m;
  m.number(1, string(key));
  m.message(2, text_value(text));
  return attributes_.add(attribute_table, m);
}

std::uint64_t otlp_writer::attribute(std::string_view key, std::uint64_t number,
                                     std::string_view unit) {
  message m, value;
  value.number(3, number);
  m.number(1, string(key));
  m.message(2, value);
  m.number(3, string(unit));
  return attributes_.add(attribute_table, m);
}

std::uint64_t otlp_writer::mapping_id(pprof::mapping const& m) {
  const auto [entry, is_new] = mapping_ids_.try_emplace(
      {std::string(m.file), std::string(m.build_id), m.start}, mappings_.size);
  if (is_new) {
    message one;
    one.number(1, m.start);
    one.number(2, m.limit);
    one.number(3, m.offset);
    one.number(4, string(m.file));
    if (!m.build_id.empty()) {
      const std::uint64_t id[] = {attribute("process.executable.build_id.gnu", m.build_id)};
      one.packed(5, id);
    }
    mappings_.add(mapping_table, one);
  }
  return entry->second;
}

std::uint64_t otlp_writer::function(pprof::line const& l) {
  const std::uint64_t name = string(l.function);
  const std::uint64_t symbol = l.symbol.empty() ? name : string(l.symbol);
  const std::uint64_t file = string(l.file);
  const auto [entry, is_new] = function_ids_.try_emplace({name, symbol, file}, functions_.size);
  if (is_new) {
    message m;
    m.number(1, name);
    m.number(2, symbol);
    m.number(3, file);
    functions_.add(function_table, m);
  }
  return entry->second;
}

std::uint64_t otlp_writer::add_location(std::uint64_t in_mapping, std::uint64_t address,
                                        std::span<pprof::line const> lines) {
  message m;
  m.number(1, in_mapping);
  m.number(2, address);
  for (pprof::line const& l : lines) {
    message one;
    one.number(1, function(l));
    one.number(2, l.number);
    m.message(3, one);
  }
  return locations_.add(location_table, m);
}

std::uint64_t otlp_writer::stack(std::span<std::uint64_t const> locations) {
  message m;
  m.packed(1, locations);
  const auto [entry, is_new] = stack_ids_.try_emplace(m.text(), stacks_.size);
  if (is_new) stacks_.add(stack_table, m);
  return entry->second;
}

void otlp_writer::add_sample(std::span<std::uint64_t const> locations,
                             pprof::heap_values const& values, double block_bytes) {
  const std::array<std::uint64_t, 4> numbers = rounded(values);
  if (numbers == std::array<std::uint64_t, 4>{}) return;
  const std::uint64_t in_stack = stack(locations);
  std::uint64_t size = 0;
  if (block_bytes > 0) {
    std::uint64_t& known = size_ids_[rounded(block_bytes)];
    if (known == 0) known = attribute("bytes", rounded(block_bytes), "bytes");
    size = known;
  }
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (numbers[i] == 0) continue;
    message m;
    m.number(1, in_stack);
    if (size != 0) m.packed(2, {&size, 1});
    m.packed(4, {&numbers[i], 1});
    samples_[i].message(2, m);
  }
}

otlp_writer::message otlp_writer::value_type(std::string_view name, std::string_view unit) {
  message m;
  m.number(1, string(name));
  m.number(2, string(unit));
  return m;
}

otlp_writer::message otlp_writer::profile(std::size_t type, pprof::profile_facts const& facts,
                                          std::uint64_t comment) {
  message m;
  m.message(1, value_type(sample_types[type].first, sample_types[type].second));
  m.append(samples_[type]);
  m.fixed64(3, natural(facts.time_nanoseconds));
  m.number(4, natural(facts.duration_nanoseconds));
  m.message(5, value_type("space", "bytes"));
  m.number(6, std::max<std::uint64_t>(1, rounded(facts.period)));
  if (comment != 0) m.packed(11, {&comment, 1});
  return m;
}

otlp_writer::message otlp_writer::resource_profiles(pprof::profile_facts const& facts) {
  message scope, scope_profiles, all;
  scope.bytes(1, "memprof");
  scope.bytes(2, version);
  scope_profiles.message(1, scope);
  std::string text;
  for (std::string const& comment : facts.comments) text += (text.empty() ? "" : "\n") + comment;
  const std::uint64_t comment = text.empty() ? 0 : attribute("pprof.profile.comment", text);
  std::array<std::size_t, 4> order{0, 1, 2, 3};
  std::ranges::stable_partition(
      order, [&](std::size_t i) { return facts.default_type == sample_types[i].first; });
  for (const std::size_t i : order) scope_profiles.message(2, profile(i, facts, comment));
  all.message(1, resource_of(process_));
  all.message(2, scope_profiles);
  return all;
}

void otlp_writer::finish(pprof::profile_facts const& facts) {
  message whole;
  whole.message(1, resource_profiles(facts));
  std::string tables;
  for (table const* t :
       {&mappings_, &locations_, &functions_, &links_, &strings_, &attributes_, &stacks_}) {
    tables += t->elements;
  }
  whole.bytes(2, tables);
  out_ << whole.text();
}

}  // namespace memprof::exports
