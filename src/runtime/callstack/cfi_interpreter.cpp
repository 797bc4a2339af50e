// SPDX-License-Identifier: MIT
#include "callstack/cfi_interpreter.hpp"

namespace memprof::callstack {

using detail::general_registers;
using detail::number_fp;
using detail::number_return;
using detail::number_sp;

namespace {

/// DW_OP_breg<n>: the value of the frame pointer plus an sleb.
constexpr auto op_breg_fp = static_cast<unsigned char>(0x70 + number_fp);
constexpr unsigned char op_deref = 0x06;

}  // namespace

bool cfi_interpreter::run(unsigned char const* begin, unsigned char const* end) noexcept {
  table_reader r{begin, end};
  while (!r.at_end() && at_ <= pc_) {
    if (!execute(r) || r.failed()) return false;
  }
  return !r.failed();
}

bool cfi_interpreter::execute(table_reader& r) noexcept {
  const auto opcode = r.fixed<unsigned char>();
  const std::uint64_t low = opcode & 0x3f;
  switch (opcode & 0xc0) {
    case 0x40:
      return advance(low);
    case 0x80:
      save(low, register_rule::at_cfa, factored(r.uleb()));
      return true;
    case 0xc0:
      restore(low);
      return true;
    default:
      return extended(opcode, r);
  }
}

bool cfi_interpreter::extended(unsigned char opcode, table_reader& r) noexcept {
  std::uint64_t number;
  switch (opcode) {
    case 0x00:  // nop
      return true;
    case 0x01:  // set_loc
      at_ = r.pointer(p_.pointer_encoding);
      return true;
    case 0x02:
      return advance(r.fixed<std::uint8_t>());
    case 0x03:
      return advance(r.fixed<std::uint16_t>());
    case 0x04:
      return advance(r.fixed<std::uint32_t>());
    case 0x05:  // offset_extended
      number = r.uleb();
      save(number, register_rule::at_cfa, factored(r.uleb()));
      return true;
    case 0x06:  // restore_extended
      restore(r.uleb());
      return true;
    case 0x07:  // undefined
      save(r.uleb(), register_rule::undefined, 0);
      return true;
    case 0x08:  // same_value
      save(r.uleb(), register_rule::same, 0);
      return true;
    case 0x09:  // register
      save(r.uleb(), register_rule::other, 0);
      r.uleb();
      return true;
    case 0x0a:  // remember_state
      return remembered_.push(row_);
    case 0x0b:  // restore_state
      return remembered_.pop(row_);
    case 0x0c:  // def_cfa
      number = r.uleb();
      define_cfa(number, static_cast<std::int64_t>(r.uleb()));
      return true;
    case 0x0d:  // def_cfa_register
      define_cfa(r.uleb(), row_.cfa_offset);
      return true;
    case 0x0e:  // def_cfa_offset
      row_.cfa_offset = static_cast<std::int64_t>(r.uleb());
      return true;
    case 0x0f:
      return cfa_expression(r);
    case 0x10:
      return expression(r);
    case 0x11:  // offset_extended_sf
      number = r.uleb();
      save(number, register_rule::at_cfa, factored(static_cast<std::uint64_t>(r.sleb())));
      return true;
    case 0x12:  // def_cfa_sf
      number = r.uleb();
      define_cfa(number, factored(static_cast<std::uint64_t>(r.sleb())));
      return true;
    case 0x13:  // def_cfa_offset_sf
      row_.cfa_offset = factored(static_cast<std::uint64_t>(r.sleb()));
      return true;
    case 0x14:  // val_offset
    case 0x15:  // val_offset_sf
      save(r.uleb(), register_rule::other, 0);
      r.uleb();
      return true;
    case 0x16:  // val_expression
      save(r.uleb(), register_rule::other, 0);
      r.skip(r.uleb());
      return true;
    case 0x2d:  // AARCH64_negate_ra_state: signatures are taken off wherever they may be
      return !detail::return_address_below_cfa;
    case 0x2e:  // GNU_args_size: concerns landing pads only
      r.uleb();
      return true;
    case 0x2f:  // GNU_negative_offset_extended
      number = r.uleb();
      save(number, register_rule::at_cfa, factored(-r.uleb()));
      return true;
    default:
      return false;
  }
}

bool cfi_interpreter::advance(std::uint64_t delta) noexcept {
  at_ += delta * p_.code_alignment;
  return true;
}

std::int64_t cfi_interpreter::factored(std::uint64_t offset) const noexcept {
  // Of a damaged table it may overflow; step_rule takes what fits into 32 bits.
  return static_cast<std::int64_t>(offset * static_cast<std::uint64_t>(p_.data_alignment));
}

void cfi_interpreter::define_cfa(std::uint64_t number, std::int64_t offset) noexcept {
  row_.cfa = number == number_sp          ? cfa_from::sp
             : number == number_fp        ? cfa_from::fp
             : number < general_registers ? cfa_from::other
                                          : cfa_from::nothing;
  row_.cfa_register = static_cast<std::uint8_t>(number);
  row_.cfa_offset = offset;
}

void cfi_interpreter::save(std::uint64_t number, register_rule how, std::int64_t offset) noexcept {
  if (number == number_fp) {
    row_.fp = how;
    row_.fp_offset = offset;
  } else if (number == number_return) {
    row_.return_address = how;
    row_.return_offset = offset;
  } else if (number == number_sp) {
    row_.cfa = cfa_from::nothing;  // the caller's stack pointer is not the CFA
  }
}

void cfi_interpreter::restore(std::uint64_t number) noexcept {
  if (number == number_fp) {
    row_.fp = initial_.fp;
    row_.fp_offset = initial_.fp_offset;
  } else if (number == number_return) {
    row_.return_address = initial_.return_address;
    row_.return_offset = initial_.return_offset;
  }
}

/// The one form that compilers write for a realigned stack, *(fp + offset), and that of linkers
/// for the entries of a PLT.
bool cfi_interpreter::cfa_expression(table_reader& r) noexcept {
  const std::uint64_t length = r.uleb();
  unsigned char const* const begin = r.position();
  r.skip(length);
  row_.cfa = cfa_from::nothing;
  if (r.failed()) return true;
  table_reader e{begin, r.position()};
  if (plt_expression(e, length)) return true;
  if (e.fixed<unsigned char>() != op_breg_fp) return true;
  row_.cfa_offset = e.sleb();
  if (e.fixed<unsigned char>() == op_deref && e.at_end() && !e.failed()) {
    row_.cfa = cfa_from::at_fp;
  }
  return true;
}

/// CFA = sp + offset, and 8 more from the instruction on that lies `limit` bytes into an entry of
/// 16 bytes: breg7 offset; breg16 0; lit15; and; lit<limit>; ge; lit3; shl; plus.
bool cfi_interpreter::plt_expression(table_reader e, std::uint64_t length) noexcept {
  if (!detail::return_address_below_cfa || length != 11) return false;
  constexpr auto breg_sp = static_cast<unsigned char>(0x70 + number_sp);
  if (e.fixed<unsigned char>() != breg_sp) return false;
  const auto offset = static_cast<std::uint64_t>(e.sleb());
  static constexpr unsigned char before[] = {0x80, 0x00, 0x3f, 0x1a};
  static constexpr unsigned char after[] = {0x2a, 0x33, 0x24, 0x22};
  for (unsigned char const op : before) {
    if (e.fixed<unsigned char>() != op) return false;
  }
  const auto limit = static_cast<unsigned char>(e.fixed<unsigned char>() - 0x30);
  for (unsigned char const op : after) {
    if (e.fixed<unsigned char>() != op) return false;
  }
  if (limit > 15 || !e.at_end() || e.failed()) return false;
  row_.cfa = cfa_from::sp;
  row_.cfa_offset = static_cast<std::int64_t>(offset + ((pc_ & 15) >= limit ? 8 : 0));
  return true;
}

/// Saved at fp + offset, or in a way that is not understood.
bool cfi_interpreter::expression(table_reader& r) noexcept {
  const std::uint64_t number = r.uleb();
  const std::uint64_t length = r.uleb();
  unsigned char const* const begin = r.position();
  r.skip(length);
  table_reader e{begin, r.position()};
  const bool of_fp = !r.failed() && e.fixed<unsigned char>() == op_breg_fp;
  const std::int64_t offset = of_fp ? e.sleb() : 0;
  save(number, of_fp && e.at_end() && !e.failed() ? register_rule::at_fp : register_rule::other,
       offset);
  return true;
}

}  // namespace memprof::callstack
