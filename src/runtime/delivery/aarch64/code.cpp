// SPDX-License-Identifier: MIT
#if defined(__aarch64__)

#include "delivery/aarch64/code.hpp"

#include <cstring>

namespace memprof::delivery::aarch64 {
namespace {

/// Bits [low, low + count).
constexpr std::uint32_t field(std::uint32_t code, unsigned low, unsigned count) noexcept {
  return code >> low & ((1u << count) - 1);
}

/// The same, signed, times `scale`.
constexpr std::uintptr_t offset(std::uint32_t code, unsigned low, unsigned count,
                                std::int64_t scale) noexcept {
  const auto value = std::int64_t{field(code, low, count)};
  const std::int64_t sign = std::int64_t{1} << (count - 1);
  return static_cast<std::uintptr_t>(((value ^ sign) - sign) * scale);
}

constexpr bool is(std::uint32_t code, std::uint32_t mask, std::uint32_t bits) noexcept {
  return (code & mask) == bits;
}

}  // namespace

std::uint32_t word_at(std::uintptr_t address) noexcept {
  std::uint32_t code;
  std::memcpy(&code, reinterpret_cast<void const*>(address), sizeof code);
  return code;
}

instruction decode(std::uint32_t code, std::uintptr_t address) noexcept {
  const auto through = static_cast<std::uint8_t>(field(code, 5, 5));
  if (is(code, 0xfc000000, 0x94000000)) {  // bl
    return {op::call, 0, address + offset(code, 0, 26, 4)};
  }
  if (is(code, 0xfc000000, 0x14000000)) {  // b
    return {op::jump, 0, address + offset(code, 0, 26, 4)};
  }
  if (is(code, 0xff000000, 0x54000000) ||  // b.cond, bc.cond
      is(code, 0x7e000000, 0x34000000)) {  // cbz, cbnz
    return {op::jump_if, 0, address + offset(code, 5, 19, 4)};
  }
  if (is(code, 0x7e000000, 0x36000000)) {  // tbz, tbnz
    return {op::jump_if, 0, address + offset(code, 5, 14, 4)};
  }
  // With their forms that authenticate the address.
  if (is(code, 0xfefff000, 0xd63f0000)) return {op::call, through, 0};  // blr
  if (is(code, 0xfefff000, 0xd61f0000)) return {op::jump, through, 0};  // br
  if (is(code, 0xfffff000, 0xd65f0000)) return {op::ret, 0, 0};
  if (is(code, 0xffe0001f, 0xd4200000) || is(code, 0xffff0000, 0)) return {op::trap, 0, 0};
  return {};
}

void known_registers::execute(std::uint32_t code, std::uintptr_t address) noexcept {
  using kind = contents::kind;
  const unsigned to = field(code, 0, 5);
  const contents from = registers_[field(code, 5, 5)];
  const bool constant = from.what == kind::address && field(code, 5, 5) != 31;
  if (is(code, 0x1f000000, 0x10000000)) {  // adr, adrp
    const bool page = field(code, 31, 1) != 0;
    const std::uint32_t bits = field(code, 5, 19) << 2 | field(code, 29, 2);
    const std::uintptr_t base = page ? address & ~std::uintptr_t{0xfff} : address;
    set(to, {kind::address, base + offset(bits, 0, 21, page ? 4096 : 1)});
  } else if (constant && is(code, 0xff800000, 0x91000000)) {  // add xd, xn, #
    const std::uintptr_t more = field(code, 10, 12) << (field(code, 22, 1) != 0 ? 12 : 0);
    set(to, {kind::address, from.bits + more});
  } else if (constant && is(code, 0xffc00000, 0xf9400000)) {  // ldr xt, [xn, #]
    set(to, {kind::in_slot, from.bits + std::uintptr_t{field(code, 10, 12)} * 8});
  } else {
    forget_written(code);
  }
}

/// Every register that an instruction of this group might write.
void known_registers::forget_written(std::uint32_t code) noexcept {
  set(field(code, 0, 5), {});
  const bool memory = is(code, 0x0a000000, 0x08000000);
  if (!memory) return;
  set(field(code, 5, 5), {});   // the address, if it is updated
  set(field(code, 10, 5), {});  // the second of a pair
  set(field(code, 16, 5), {});  // the status of an exclusive store
}

void known_registers::after_call() noexcept {
  for (unsigned i = 0; i <= 18; ++i) registers_[i] = {};
  registers_[30] = {};
}

}  // namespace memprof::delivery::aarch64

#endif
