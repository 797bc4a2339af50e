// SPDX-License-Identifier: MIT
/// \file
/// Heap profiles as OpenTelemetry's protocol has them: ProfilesData of profiles/v1development.
///
/// Tables are shared by four profiles, one for each value. Element 0 of each table is empty, as the
/// schema wants, and no index names it.
///
/// \see opentelemetry-proto 1.11, profiles.proto; 1.9 has the same fields.
#pragma once

#include <array>
#include <cstdint>
#include <iosfwd>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "memprof/trace/info.hpp"

#include "pprof/pprof.hpp"

namespace memprof::exports {

/// As pprof::profile_writer, with the same arguments.
class otlp_writer {
 public:
  /// \param process what ran: the resource of the profiles.
  otlp_writer(std::ostream& out, trace::info const& process);

  std::uint64_t mapping_id(pprof::mapping const& m);
  std::uint64_t add_location(std::uint64_t in_mapping, std::uint64_t address,
                             std::span<pprof::line const> lines);
  /// A value of 0 makes no sample.
  void add_sample(std::span<std::uint64_t const> stack, pprof::heap_values const& values,
                  double block_bytes);
  /// \param facts the profile of the default type comes first, for tools show that one.
  void finish(pprof::profile_facts const& facts);

 private:
  using message = pprof::protobuf;

  /// One of the repeated fields of the dictionary: its elements, as they are written.
  struct table {
    std::string elements;
    std::uint64_t size = 0;
    std::uint64_t add(unsigned field, message const& element);
  };

  std::uint64_t string(std::string_view text);
  std::uint64_t function(pprof::line const& l);
  /// An attribute with a text, or with a number and its unit.
  std::uint64_t attribute(std::string_view key, std::string_view text);
  std::uint64_t attribute(std::string_view key, std::uint64_t number, std::string_view unit);
  std::uint64_t stack(std::span<std::uint64_t const> locations);
  message value_type(std::string_view name, std::string_view unit);
  message profile(std::size_t type, pprof::profile_facts const& facts, std::uint64_t comment);
  message resource_profiles(pprof::profile_facts const& facts);

  std::ostream& out_;
  trace::info const& process_;
  table strings_, mappings_, locations_, functions_, stacks_, attributes_, links_;
  std::unordered_map<std::string, std::uint64_t> string_ids_;
  std::map<std::tuple<std::string, std::string, std::uint64_t>, std::uint64_t> mapping_ids_;
  std::map<std::array<std::uint64_t, 3>, std::uint64_t> function_ids_;
  std::map<std::uint64_t, std::uint64_t> size_ids_;
  std::unordered_map<std::string, std::uint64_t> stack_ids_;
  std::array<message, 4> samples_;
};

}  // namespace memprof::exports
