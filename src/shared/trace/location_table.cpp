// SPDX-License-Identifier: MIT
#include "trace/location_table.hpp"

#include <algorithm>
#include <memory>

#include "encoding/encoding.hpp"

namespace memprof::inline v0::trace {

void location_table::read(byte_reader& in, name_lists& names) {
  std::byte const* const begin = in.position();
  location_code const code = in.u64();
  std::size_t const count = in.u8();
  announced_.clear();
  for (std::size_t i = 0; i < count; ++i) announced_.push_back(read_location(in, names));

  auto const [known, is_new] = codes_.try_emplace(code);
  if (!is_new) {
    if (!std::ranges::equal(known->second, announced_)) {
      throw malformed{"a code is announced again with other locations", begin};
    }
    return;
  }
  if (count == 0) return;
  std::pmr::polymorphic_allocator<location> allocator(&memory_);
  location* const kept = allocator.allocate(count);
  std::uninitialized_copy(announced_.begin(), announced_.end(), kept);
  known->second = {kept, count};
  if (auto const note = encoding::interrupt_of(known->second)) interrupts_.push_back(*note);
  if (auto const note = encoding::note_of(known->second)) notes_.push_back(*note);
  if (auto const named = encoding::thread_of(code, known->second)) threads_.push_back(*named);
}

location location_table::read_location(byte_reader& in, name_lists& names) {
  std::byte const* const at = in.position();
  std::uint64_t const low = in.u32();
  std::uint64_t const packed = low | std::uint64_t{in.u16()} << 32;
  auto const bits = [packed](unsigned from, unsigned width) {
    return static_cast<std::uint32_t>(packed >> from & ((1u << width) - 1));
  };
  location result;
  result.line = bits(0, 20);
  result.start_char = bits(20, 8);
  result.end_char = bits(28, 10);
  unsigned const file = bits(38, 5);
  unsigned const function = bits(43, 5);
  if (file == encoding::new_name) {
    result.filename = keep(in.text());
    names.new_file(result.filename);
  } else if (auto const name = names.file(file)) {
    result.filename = *name;
  } else {
    throw malformed{"a location refers to the name of a file that was never announced", at};
  }
  if (function == encoding::new_name) {
    result.defname = keep(in.text());
    names.new_function(result.defname);
  } else if (auto const name = names.function(function)) {
    result.defname = *name;
  } else {
    throw malformed{"a location refers to the name of a function that was never announced", at};
  }
  return result;
}

std::string_view location_table::keep(std::string_view text) {
  if (auto const found = texts_.find(text); found != texts_.end()) return *found;
  if (text.empty()) return {};
  std::pmr::polymorphic_allocator<char> allocator(&memory_);
  char* const kept = allocator.allocate(text.size());
  std::ranges::copy(text, kept);
  return *texts_.emplace(kept, text.size()).first;
}

}  // namespace memprof::inline v0::trace
