// SPDX-License-Identifier: MIT
#include "records/module_table.hpp"

#include <algorithm>
#include <cstring>

namespace memprof::records {
namespace {

/// More modules at one place have no codes left. Nothing comes near it.
constexpr std::uint64_t most_generations = std::uint64_t{1} << 12;

/// Real programs have a thousand; each new one is compared with all.
constexpr std::size_t most_modules = std::size_t{1} << 14;

bool overlap(module const& a, module const& b) noexcept {
  return a.begin < b.end && b.begin < a.end;
}

}  // namespace

module module_in(relay::popped_record const& r) noexcept {
  module m{.begin = r.body[0], .end = r.body[1], .bias = r.body[2], .build_id = {}, .path = {}};
  std::memcpy(m.build_id.data(), &r.body[3], m.build_id.size() - 1);
  m.path = r.text(relay::module_words);
  return m;
}

std::size_t module_table::first_above(std::uintptr_t address) const noexcept {
  auto const* const found = std::ranges::partition_point(
      loaded_, [&](std::uint32_t i) { return modules_[i].what.end <= address; });
  return static_cast<std::size_t>(found - loaded_.begin());
}

void module_table::load(std::uint32_t index) noexcept {
  module const& m = modules_[index].what;
  const std::size_t first = first_above(m.begin);
  std::size_t last = first;
  while (last < loaded_.size() && overlap(modules_[loaded_[last]].what, m)) ++last;
  loaded_.erase(first, last);
  static_cast<void>(loaded_.insert(first, index));  // without memory its codes are addresses
}

void module_table::announce(module const& m) noexcept {
  if (m.begin >= m.end) return;
  known_module fresh{.what = m};
  // Newest first: what lay here last is what probably lies here again.
  for (std::size_t i = modules_.size(); i-- > 0;) {
    known_module const& known = modules_[i];
    if (!overlap(known.what, m)) continue;
    if (known.what == m) return load(static_cast<std::uint32_t>(i));
    fresh.generation = std::max(fresh.generation, known.generation + 1);
  }
  if (fresh.generation == 0 && lowest_unknown_ < m.end && m.begin <= highest_unknown_) {
    fresh.generation = 1;
  }
  const bool room = fresh.generation < most_generations && modules_.size() < most_modules;
  fresh.what.path = room ? texts_.keep(m.path) : std::string_view{};
  if (!room || !modules_.push_back(fresh)) {
    const std::size_t first = first_above(m.begin);  // what lay there is gone
    while (first < loaded_.size() && overlap(modules_[loaded_[first]].what, m)) {
      loaded_.erase(first, first + 1);
    }
    return;
  }
  if (fresh.generation > 0) any_place_taken_twice_ = true;
  load(static_cast<std::uint32_t>(modules_.size() - 1));
}

trace::location_code module_table::code_of(std::uintptr_t address) const noexcept {
  const std::uintptr_t in_memory = address_of(address);
  if (!any_place_taken_twice_) return in_memory;
  const std::size_t at = first_above(in_memory - 1);
  if (at == loaded_.size()) return in_memory;
  known_module const& m = modules_[loaded_[at]];
  return m.what.begin < in_memory ? m.generation << address_bits | in_memory : in_memory;
}

module const* module_table::module_of(trace::location_code code) const noexcept {
  const std::uintptr_t call = address_of(code) - 1;
  const std::uint64_t generation = code >> address_bits;
  for (known_module const& m : modules_) {
    if (m.generation == generation && call >= m.what.begin && call < m.what.end) return &m.what;
  }
  return nullptr;
}

void module_table::keep_unknown(trace::location_code code) noexcept {
  lowest_unknown_ = std::min(lowest_unknown_, address_of(code));
  highest_unknown_ = std::max(highest_unknown_, address_of(code));
}

}  // namespace memprof::records
