// SPDX-License-Identifier: MIT
#if defined(__x86_64__)

#include "delivery/x86_64/machine_state.hpp"

#include <algorithm>
#include <initializer_list>

namespace memprof::delivery::x86_64 {
namespace {

constexpr std::uint64_t mask(unsigned size) noexcept {
  return size >= 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << (8 * size)) - 1;
}

}  // namespace

value truncated(value v, unsigned size) noexcept {
  if (size >= 8) return v;
  if (!v.is_number()) return {};
  v.bits &= mask(size);
  return v;
}

value sign_extended(value v, unsigned from_size) noexcept {
  if (!v.is_number()) return from_size >= 8 ? v : value{};
  const unsigned unused = 64 - 8 * from_size;
  v.bits = static_cast<std::uint64_t>(static_cast<std::int64_t>(v.bits << unused) >> unused);
  return v;
}

void machine_state::enter_pad(std::optional<std::int32_t> selector) noexcept {
  *this = {};
  if (selector) {  // registers hold 64 bits: the personality's int is extended
    registers_[rdx] = {value::kind::selector, static_cast<std::uint64_t>(std::int64_t{*selector})};
  }
  registers_[rsp] = {value::kind::stack, 0};
  registers_[rbp] = {value::kind::frame, 0};
}

value machine_state::load(value address, unsigned size) const noexcept {
  if (!address.is_place()) return {};
  for (place const& p : places_) {
    if (p.address == address && size <= p.size) return truncated(p.content, size);
  }
  return {};
}

void machine_state::forget_variables() noexcept {
  for (place& p : places_) {
    if (p.content.what != value::kind::selector) p = {};
  }
}

void machine_state::store(value address, unsigned size, value v) noexcept {
  if (!address.is_place()) return forget_variables();
  place* free = nullptr;
  for (place& p : places_) {
    if (p.address.what == address.what) {
      const auto distance = static_cast<std::int64_t>(p.address.bits - address.bits);
      if (distance < static_cast<std::int64_t>(size) &&
          distance > -static_cast<std::int64_t>(p.size)) {
        p = {};
      }
    } else if (p.content.what != value::kind::selector) {
      p = {};  // how rsp and rbp lie to each other is not known
    }
    if (p.address.what == value::kind::unknown) free = &p;
  }
  if (v.what == value::kind::unknown) return;
  if (free == nullptr && v.what == value::kind::selector) {
    free = std::find_if(places_.begin(), places_.end(),
                        [](place const& p) { return p.content.what != value::kind::selector; });
    if (free == places_.end()) return;
  }
  if (free != nullptr) *free = {address, static_cast<std::uint8_t>(size), v};
}

void machine_state::after_call() noexcept {
  for (const gpr r : {rax, rcx, rdx, rsi, rdi, r8, r9, r10, r11}) registers_[r] = {};
  status = {};
  forget_variables();
}

bool machine_state::join(machine_state const& other) noexcept {
  bool changed = false;
  for (std::size_t r = 0; r < registers_.size(); ++r) {
    if (registers_[r] == other.registers_[r] || registers_[r].what == value::kind::unknown) {
      continue;
    }
    registers_[r] = {};
    changed = true;
  }
  for (place& p : places_) {
    if (p.address.what == value::kind::unknown) continue;
    if (std::find(other.places_.begin(), other.places_.end(), p) != other.places_.end()) continue;
    p = {};
    changed = true;
  }
  if (status.known && !(status == other.status)) {
    status = {};
    changed = true;
  }
  return changed;
}

}  // namespace memprof::delivery::x86_64

#endif
