// SPDX-License-Identifier: MIT
#if defined(__aarch64__)

#include "delivery/aarch64/known_registers.hpp"

#include "delivery/aarch64/decoder.hpp"

namespace memprof::delivery::aarch64 {
namespace {

constexpr unsigned zero_register = 31;
constexpr std::uintptr_t low_half = 0xffffffff;

/// Instructions without a result in the flags: only those that stand between a comparison and its
/// branch.
bool keeps_flags(std::uint32_t code) noexcept {
  return is(code, 0x1f000000, 0x10000000) ||  // adr, adrp
         is(code, 0x3f800000, 0x11000000) ||  // add, sub with an immediate
         is(code, 0x1f800000, 0x12800000) ||  // movn, movz, movk
         is(code, 0x7fe0ffe0, 0x2a0003e0) ||  // mov
         is(code, 0x0a000000, 0x08000000);    // load, store
}

}  // namespace

void known_registers::execute(std::uint32_t code, std::uintptr_t address) noexcept {
  using kind = contents::kind;
  if (add_or_subtract(code)) return;
  if (!keeps_flags(code)) flags_ = {};
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
  } else if (const contents copied = in(field(code, 16, 5));
             copied.what == kind::number &&
             is(code, 0x7fe0ffe0, 0x2a0003e0)) {  // mov wd, wm; mov xd, xm
    set(to, {kind::number, field(code, 31, 1) != 0 ? copied.bits : copied.bits & low_half});
  } else if (from.what == kind::number && is(code, 0xfffffc00, 0x93407c00)) {  // sxtw xd, wn
    set(to, {kind::number, offset(static_cast<std::uint32_t>(from.bits), 0, 32, 1)});
  } else {
    forget_written(code);
  }
}

/// add, sub, adds (cmn) and subs (cmp) of a number and an immediate; false if it is something else.
bool known_registers::add_or_subtract(std::uint32_t code) noexcept {
  if (!is(code, 0x1f800000, 0x11000000)) return false;
  const contents from = in(field(code, 5, 5));
  const unsigned to = field(code, 0, 5);
  if (from.what != contents::kind::number) return false;
  const unsigned shift = field(code, 31, 1) != 0 ? 0 : 32;  // so that the sign is the topmost bit
  const bool subtracts = field(code, 30, 1) != 0;
  const std::uintptr_t a = from.bits << shift;
  const std::uintptr_t b = std::uintptr_t{field(code, 10, 12)} << (field(code, 22, 1) != 0 ? 12 : 0)
                                                               << shift;
  const std::uintptr_t result = subtracts ? a - b : a + b;
  if (field(code, 29, 1) != 0) {
    const std::uintptr_t sign = std::uintptr_t{1} << 63;
    flags_ = {
        .known = true,
        .negative = (result & sign) != 0,
        .zero = result == 0,
        .carry = subtracts ? a >= b : result < a,
        .overflow = ((subtracts ? (a ^ b) & (a ^ result) : ~(a ^ b) & (a ^ result)) & sign) != 0};
  }
  set(to, {contents::kind::number, result >> shift});
  return true;
}

/// A condition of b.cond, as the instruction encodes it.
bool known_registers::holds(unsigned condition) const noexcept {
  bool result = true;  // 7: always, both ways
  switch (condition >> 1) {
    case 0:
      result = flags_.zero;  // eq
      break;
    case 1:
      result = flags_.carry;  // cs
      break;
    case 2:
      result = flags_.negative;  // mi
      break;
    case 3:
      result = flags_.overflow;  // vs
      break;
    case 4:
      result = flags_.carry && !flags_.zero;  // hi
      break;
    case 5:
      result = flags_.negative == flags_.overflow;  // ge
      break;
    case 6:
      result = flags_.negative == flags_.overflow && !flags_.zero;  // gt
      break;
    default:
      return true;
  }
  return result != ((condition & 1) != 0);
}

std::optional<bool> known_registers::is_taken(std::uint32_t code) const noexcept {
  if (is(code, 0xff000000, 0x54000000)) {  // b.cond
    if (!flags_.known) return {};
    return holds(field(code, 0, 4));
  }
  const contents tested = in(field(code, 0, 5));
  if (field(code, 0, 5) == zero_register || tested.what != contents::kind::number) return {};
  const bool if_not_zero = field(code, 24, 1) != 0;
  if (is(code, 0x7e000000, 0x34000000)) {  // cbz, cbnz
    const std::uintptr_t bits = field(code, 31, 1) != 0 ? tested.bits : tested.bits & low_half;
    return (bits != 0) == if_not_zero;
  }
  const unsigned bit = field(code, 31, 1) << 5 | field(code, 19, 5);  // tbz, tbnz
  return ((tested.bits >> bit & 1) != 0) == if_not_zero;
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
void known_registers::after_call() noexcept {
  known_ &= 0x3ff80000;
  flags_ = {};
}

bool known_registers::join(known_registers const& other) noexcept {
  const std::uint32_t before = known_;
  const flags flags_before = flags_;
  if (flags_ != other.flags_) flags_ = {};
  known_ &= other.known_;
  for (std::uint32_t left = known_; left != 0; left &= left - 1) {
    const auto number = static_cast<unsigned>(__builtin_ctz(left));
    if (registers_[number] != other.registers_[number]) forget(number);
  }
  return known_ != before || flags_ != flags_before;
}

}  // namespace memprof::delivery::aarch64

#endif
