// SPDX-License-Identifier: MIT
//
// Any bytes as the unwind table of a procedure: a CIE, and an FDE behind it. What is understood is
// in bounds, and every pc of the procedure gets an answer in a bounded time.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "callstack/cfi_interpreter.hpp"
#include "callstack/procedure.hpp"
#include "callstack/step_rule.hpp"
#include "require.hpp"

using namespace memprof;
using namespace memprof::callstack;
using memprof_fuzz::require;

namespace {

void put(std::vector<unsigned char>& to, std::uint32_t word) {
  for (int i = 0; i < 32; i += 8) to.push_back(static_cast<unsigned char>(word >> i));
}

/// Rules of a procedure whose instructions are the bytes themselves.
void interpret(unsigned char const* data, std::size_t size) {
  if (size < 12) return;
  procedure p;
  p.begin = 0x1000;
  p.end = 0x1000 + data[0] * 16u + 1;
  p.code_alignment = data[1];
  p.data_alignment = static_cast<signed char>(data[2]);
  p.return_register = data[3];
  p.pointer_encoding = data[4] & 0x1f;
  std::size_t const split = 5 + data[5] % (size - 5);
  p.initial_begin = data + 5;
  p.initial_end = p.rules_begin = data + split;
  p.rules_end = data + size;
  for (std::uintptr_t pc = p.begin; pc < p.end; pc += 1 + (p.end - p.begin) / 64) {
    step_rule const rule = rule_at(p, pc);
    static_cast<void>(rule.understood());
  }
}

/// The bytes as the contents of a CIE and an FDE.
void parse(unsigned char const* data, std::size_t size) {
  if (size < 2 || size > 4096) return;
  std::size_t const of_cie = std::min<std::size_t>(data[0], size - 1);
  std::vector<unsigned char> table;
  put(table, static_cast<std::uint32_t>(4 + of_cie));
  put(table, 0);
  table.insert(table.end(), data + 1, data + 1 + of_cie);
  std::size_t const fde = table.size();
  std::size_t const rest = size - 1 - of_cie;
  put(table, static_cast<std::uint32_t>(4 + rest));
  // Back to the CIE, or wherever the last byte says.
  const unsigned elsewhere = data[size - 1] % 4 == 3 ? data[size - 1] : 0;
  put(table, static_cast<std::uint32_t>(fde + 4) - elsewhere);
  table.insert(table.end(), data + 1 + of_cie, data + size);
  put(table, 0);
  table.shrink_to_fit();  // so that asan knows where it ends
  procedure p;
  unsigned char const* const begin = table.data();
  unsigned char const* const end = begin + table.size();
  const auto at = reinterpret_cast<std::uintptr_t>(begin);
  const modules::address_range all{at, at + table.size()};
  for_each_personality(
      all, [](void*, std::uintptr_t) noexcept { return true; }, nullptr);
  if (!parse_procedure(at + fde, all, p)) return;
  require(p.initial_begin >= begin && p.initial_begin <= p.initial_end && p.initial_end <= end);
  require(p.rules_begin >= begin && p.rules_begin <= p.rules_end && p.rules_end <= end);
  for (std::uintptr_t const pc : {p.begin, p.begin + 1, p.end - 1}) {
    static_cast<void>(rule_at(p, pc).understood());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  interpret(data, size);
  parse(data, size);
  return 0;
}
