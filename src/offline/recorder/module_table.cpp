// SPDX-License-Identifier: MIT
#include "recorder/module_table.hpp"

#include <algorithm>
#include <cstring>

#include "encoding/encoding.hpp"
#include "relay/relay.hpp"

namespace memprof::recorder {
namespace {

/// More modules at one place have no codes left. Nothing comes near it.
constexpr std::uint64_t most_generations = std::uint64_t{1} << 12;

/// Real programs have a thousand; each new one is compared with all.
constexpr std::size_t most_modules = std::size_t{1} << 14;

bool overlap(module const& a, module const& b) noexcept {
  return a.begin < b.end && b.begin < a.end;
}

}  // namespace

module module_in(relay::popped_record const& r) {
  module m{.begin = r.body[0], .end = r.body[1], .bias = r.body[2], .build_id = {}, .path = {}};
  char id[17] = {};
  std::memcpy(id, &r.body[3], 16);
  m.build_id = id;
  m.path = r.text(relay::module_words);
  return m;
}

void module_table::announce(module const& m) {
  if (m.begin >= m.end) return;
  std::erase_if(loaded_,
                [&](auto const& entry) { return overlap(modules_[entry.second].what, m); });
  known_module fresh{.what = m};
  // Newest first: what lay here last is what probably lies here again.
  for (std::size_t i = modules_.size(); i-- > 0;) {
    known_module const& known = modules_[i];
    if (!overlap(known.what, m)) continue;
    if (known.what == m) {
      loaded_[m.begin] = i;
      return;
    }
    fresh.generation = std::max(fresh.generation, known.generation + 1);
  }
  if (fresh.generation == 0 && lowest_unknown_ < m.end && m.begin <= highest_unknown_) {
    fresh.generation = 1;
  }
  if (fresh.generation >= most_generations || modules_.size() >= most_modules) return;
  if (fresh.generation > 0) any_place_taken_twice_ = true;
  loaded_[m.begin] = modules_.size();
  modules_.push_back(std::move(fresh));
}

trace::location_code module_table::code_of(std::uintptr_t address) const {
  const std::uintptr_t in_memory = address & ((std::uintptr_t{1} << address_bits) - 1);
  if (!any_place_taken_twice_) return in_memory;
  auto above = loaded_.upper_bound(in_memory - 1);
  if (above == loaded_.begin()) return in_memory;
  known_module const& m = modules_[(--above)->second];
  return in_memory - 1 < m.what.end ? m.generation << address_bits | in_memory : in_memory;
}

module_table::known_module const* module_table::module_of(trace::location_code code) const {
  const std::uintptr_t call = (code & ((std::uint64_t{1} << address_bits) - 1)) - 1;
  const std::uint64_t generation = code >> address_bits;
  for (known_module const& m : modules_) {
    if (m.generation == generation && call >= m.what.begin && call < m.what.end) return &m;
  }
  return nullptr;
}

std::span<trace::location const> module_table::locate(trace::location_code code) {
  const std::uintptr_t address = code & ((std::uint64_t{1} << address_bits) - 1);
  known_module const* const m = module_of(code);
  if (m == nullptr) {
    lowest_unknown_ = std::min(lowest_unknown_, address);
    highest_unknown_ = std::max(highest_unknown_, address);
    return {};
  }
  encoding::code_name_text text;
  path_ = m->what.path;
  name_ = encoding::code_name(m->what.path, address - 1 - m->what.bias, m->what.build_id, text);
  found_ = {.filename = path_, .defname = name_, .line = 1, .start_char = 0, .end_char = 0};
  return {&found_, 1};
}

}  // namespace memprof::recorder
