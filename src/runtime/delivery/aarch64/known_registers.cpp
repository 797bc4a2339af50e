// SPDX-License-Identifier: MIT
#if defined(__aarch64__)

#include "delivery/aarch64/known_registers.hpp"

#include "delivery/aarch64/decoder.hpp"

namespace memprof::delivery::aarch64 {

void known_registers::execute(std::uint32_t code, std::uintptr_t address) noexcept {
  using kind = contents::kind;
  const unsigned to = field(code, 0, 5);
  const contents from = in(field(code, 5, 5));
  const bool constant = from.what == kind::address;
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
  forget(field(code, 0, 5));
  const bool memory = is(code, 0x0a000000, 0x08000000);
  if (!memory) return;
  forget(field(code, 5, 5));   // the address, if it is updated
  forget(field(code, 10, 5));  // the second of a pair
  forget(field(code, 16, 5));  // the status of an exclusive store
}

// x0 to x18, and the link register.
void known_registers::after_call() noexcept { known_ &= 0x3ff80000; }

bool known_registers::join(known_registers const& other) noexcept {
  const std::uint32_t before = known_;
  known_ &= other.known_;
  for (std::uint32_t left = known_; left != 0; left &= left - 1) {
    const auto number = static_cast<unsigned>(__builtin_ctz(left));
    if (registers_[number] != other.registers_[number]) forget(number);
  }
  return known_ != before;
}

}  // namespace memprof::delivery::aarch64

#endif
