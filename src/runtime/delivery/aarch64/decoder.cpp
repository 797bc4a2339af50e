// SPDX-License-Identifier: MIT
#if defined(__aarch64__)

#include "delivery/aarch64/decoder.hpp"

#include <cstring>

namespace memprof::delivery::aarch64 {

std::uint32_t word_at(std::uintptr_t address) noexcept {
  std::uint32_t code;
  std::memcpy(&code, reinterpret_cast<void const*>(address), sizeof code);
  return code;
}

instruction decode(std::uint32_t code, std::uintptr_t address) noexcept {
  instruction i{.code = code, .address = address};
  const auto direct = [&i, code, address](op what, unsigned low, unsigned count) {
    i.what = what;
    i.target = address + offset(code, low, count, 4);
    return i;
  };
  const auto indirect = [&i, code](op what) {
    i.what = what;
    i.through = static_cast<std::uint8_t>(field(code, 5, 5));
    return i;
  };
  if (is(code, 0xfc000000, 0x94000000)) return direct(op::call, 0, 26);     // bl
  if (is(code, 0xfc000000, 0x14000000)) return direct(op::jump, 0, 26);     // b
  if (is(code, 0xff000000, 0x54000000)) return direct(op::jump_if, 5, 19);  // b.cond, bc.cond
  if (is(code, 0x7e000000, 0x34000000)) return direct(op::jump_if, 5, 19);  // cbz, cbnz
  if (is(code, 0x7e000000, 0x36000000)) return direct(op::jump_if, 5, 14);  // tbz, tbnz
  // With their forms that authenticate the address.
  if (is(code, 0xfefff000, 0xd63f0000)) return indirect(op::call);  // blr
  if (is(code, 0xfefff000, 0xd61f0000)) return indirect(op::jump);  // br
  if (is(code, 0xfffff000, 0xd65f0000)) i.what = op::ret;
  if (is(code, 0xffe0001f, 0xd4200000) || is(code, 0xffff0000, 0)) i.what = op::trap;
  return i;
}

}  // namespace memprof::delivery::aarch64

#endif
