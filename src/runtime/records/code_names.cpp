// SPDX-License-Identifier: MIT
#include "records/code_names.hpp"

#include <algorithm>

#include "encoding/encoding.hpp"

namespace memprof::records {

std::span<trace::location const> code_names::locate(trace::location_code code) noexcept {
  const bool room = (used_ + 1) * 4 <= table_.size() * 3 || grow();
  if (table_.empty()) return {};
  known_code& entry = *find(table_, code);
  if (entry.code == 0) {
    if (!room) return {};
    entry.code = code;
    name(entry);
    ++used_;
  }
  if (entry.name.empty()) return {};
  found_ = {
      .filename = entry.path, .defname = entry.name, .line = 1, .start_char = 0, .end_char = 0};
  return {&found_, 1};
}

void code_names::name(known_code& entry) noexcept {
  module const* const in = modules_.module_of(entry.code);
  if (in == nullptr) return modules_.keep_unknown(entry.code);
  encoding::code_name_text text;
  const std::uintptr_t call = module_table::address_of(entry.code) - 1;
  entry.path = in->path;
  entry.name =
      texts_.keep(encoding::code_name(in->path, call - in->bias, in->build_id.data(), text));
}

code_names::known_code* code_names::find(base::mapped_array<known_code>& in,
                                         trace::location_code code) noexcept {
  const std::size_t mask = in.size() - 1;
  std::size_t at = static_cast<std::size_t>(code * 0x9e3779b97f4a7c15u >> 20) & mask;
  while (in[at].code != 0 && in[at].code != code) at = (at + 1) & mask;
  return &in[at];
}

bool code_names::grow() noexcept {
  if (table_.size() >= most_codes) return false;
  base::mapped_array<known_code> larger;
  if (!larger.grow_to(std::max<std::size_t>(table_.size() * 2, 512))) {
    return used_ + 1 < table_.size();
  }
  for (known_code const& known : table_) {
    if (known.code != 0) *find(larger, known.code) = known;
  }
  table_.swap(larger);
  return true;
}

}  // namespace memprof::records
