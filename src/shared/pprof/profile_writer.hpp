// SPDX-License-Identifier: MIT
/// \file
/// Heap profiles as pprof reads them: profile.proto, gzipped.
///
/// Ids are 1 to N in the order of the tables, as Parca wants them. The four values of a sample are
/// those of Go's heap profiles, in Go's order. Tables of strings, mappings, functions and locations
/// are written as they are first needed; whoever calls this says what each of them is.
#pragma once

#include <array>
#include <cstdint>
#include <iosfwd>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "pprof/gzip.hpp"
#include "pprof/profile_parts.hpp"
#include "pprof/protobuf.hpp"

namespace memprof::pprof {

class profile_writer {
 public:
  /// Mapping 1 must be that of the program: call `mapping_id` with it first.
  explicit profile_writer(std::ostream& out);

  std::uint64_t mapping_id(mapping const& m);
  /// A new location. The writer does not compare locations.
  std::uint64_t add_location(std::uint64_t in_mapping, std::uint64_t address,
                             std::span<line const> lines);
  /// \param stack locations, innermost first; not empty.
  /// \param block_bytes the size of its blocks: the label `bytes`.
  /// \param labels others: key and value, any text.
  void add_sample(std::span<std::uint64_t const> stack, heap_values const& values,
                  double block_bytes,
                  std::span<std::pair<std::string, std::string> const> labels = {});
  /// Once, at the end.
  void finish(profile_facts const& facts);

 private:
  std::uint64_t string(std::string_view text);
  protobuf value_type(char const* name, char const* unit);
  std::uint64_t function_id(line const& l);
  void put(unsigned field, protobuf const& m);

  gzip_writer zip_;
  std::unordered_map<std::string, std::uint64_t> string_ids_;
  std::vector<std::string const*> strings_;
  std::map<std::array<std::uint64_t, 3>, std::uint64_t> mappings_;
  std::map<std::array<std::uint64_t, 3>, std::uint64_t> functions_;  // by name, symbol and file
  std::uint64_t location_count_ = 0;
};

}  // namespace memprof::pprof
