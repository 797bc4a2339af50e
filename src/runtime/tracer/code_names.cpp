// SPDX-License-Identifier: MIT
#include "tracer/code_names.hpp"

#include <algorithm>
#include <string_view>

#include "encoding/encoding.hpp"

namespace memprof::tracer {

std::span<trace::location const> code_names::locate(trace::location_code code) noexcept {
  const bool room = (used_ + 1) * 4 <= capacity_ * 3 || grow();
  if (capacity_ == 0) return {};
  known_code& entry = *find(code);
  if (entry.code == 0) {
    if (!room) return {};
    entry.code = code;
    entry.in = modules_.module_of(code);
    if (entry.in == nullptr) {
      modules_.refresh();  // it may have been loaded only just now
      entry.in = modules_.module_of(code);
    }
    if (entry.in != nullptr) {
      name(entry);
    } else {
      modules_.keep_unknown(code);
    }
    ++used_;
  }
  if (entry.in == nullptr || entry.length == 0) return {};
  found_ = {.filename = entry.in->path,
            .defname = {entry.name, entry.length},
            .line = 1,
            .start_char = 0,
            .end_char = 0};
  return {&found_, 1};
}

void code_names::name(known_code& entry) noexcept {
  encoding::code_name_text text;
  const std::uintptr_t call = module_list::address_of(entry.code) - 1;
  const std::string_view kept = texts_.keep(
      encoding::code_name(entry.in->path, call - entry.in->bias, entry.in->build_id, text));
  entry.name = kept.data();
  entry.length = kept.size();
}

code_names::known_code* code_names::find(trace::location_code code) noexcept {
  std::size_t at = static_cast<std::size_t>(code * 0x9e3779b97f4a7c15u >> 20) & (capacity_ - 1);
  while (table_[at].code != 0 && table_[at].code != code) at = (at + 1) & (capacity_ - 1);
  return &table_[at];
}

bool code_names::grow() noexcept {
  known_code* const old = table_;
  const std::size_t old_capacity = capacity_;
  if (old_capacity >= most_codes) return false;
  const std::size_t wanted = std::max<std::size_t>(old_capacity * 2, 4096);
  auto* const fresh = static_cast<known_code*>(base::map_pages(wanted * sizeof(known_code)));
  if (fresh == nullptr) return used_ + 1 < capacity_;
  table_ = fresh;
  capacity_ = wanted;
  for (std::size_t i = 0; i < old_capacity; ++i) {
    if (old[i].code != 0) *find(old[i].code) = old[i];
  }
  if (old != nullptr) base::unmap_pages(old, old_capacity * sizeof(known_code));
  return true;
}

}  // namespace memprof::tracer
