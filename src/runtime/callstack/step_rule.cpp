// SPDX-License-Identifier: MIT
#include "callstack/step_rule.hpp"

#include "callstack/table_reader.hpp"

namespace memprof::callstack {
namespace {

using detail::general_registers;
using detail::number_fp;
using detail::number_return;
using detail::number_sp;

/// DW_OP_breg<n>: the value of the frame pointer plus an sleb.
constexpr auto op_breg_fp = static_cast<unsigned char>(0x70 + number_fp);
constexpr unsigned char op_deref = 0x06;

enum class saved : std::uint8_t { same, at_cfa, at_fp, undefined, other };

/// A row of the table that the instructions describe.
struct row {
  std::int64_t cfa_offset = 0;
  std::int64_t fp_offset = 0;
  std::int64_t return_offset = 0;
  cfa_from cfa = cfa_from::nothing;
  std::uint8_t cfa_register = 0;
  saved fp = saved::same;
  saved return_address = saved::same;
};

/// Executes call frame instructions up to the row of a pc.
class interpreter {
 public:
  interpreter(procedure const& p, std::uintptr_t pc) noexcept : p_(p), pc_(pc), at_(p.begin) {}

  /// False if something is not understood.
  bool run(unsigned char const* begin, unsigned char const* end) noexcept {
    table_reader r{begin, end};
    while (!r.at_end() && at_ <= pc_) {
      if (!execute(r) || r.failed()) return false;
    }
    return !r.failed();
  }

  void keep_as_initial() noexcept { initial_ = row_; }
  [[nodiscard]] row const& result() const noexcept { return row_; }

 private:
  bool execute(table_reader& r) noexcept {
    const auto opcode = r.fixed<unsigned char>();
    const std::uint64_t low = opcode & 0x3f;
    switch (opcode & 0xc0) {
      case 0x40:
        return advance(low);
      case 0x80:
        save(low, saved::at_cfa, factored(r.uleb()));
        return true;
      case 0xc0:
        restore(low);
        return true;
      default:
        return extended(opcode, r);
    }
  }

  bool extended(unsigned char opcode, table_reader& r) noexcept {
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
        save(number, saved::at_cfa, factored(r.uleb()));
        return true;
      case 0x06:  // restore_extended
        restore(r.uleb());
        return true;
      case 0x07:  // undefined
        save(r.uleb(), saved::undefined, 0);
        return true;
      case 0x08:  // same_value
        save(r.uleb(), saved::same, 0);
        return true;
      case 0x09:  // register
        save(r.uleb(), saved::other, 0);
        r.uleb();
        return true;
      case 0x0a:  // remember_state
        if (depth_ == most_remembered) return false;
        remembered_[depth_++] = row_;
        return true;
      case 0x0b:  // restore_state
        if (depth_ == 0) return false;
        row_ = remembered_[--depth_];
        return true;
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
        save(number, saved::at_cfa, r.sleb() * p_.data_alignment);
        return true;
      case 0x12:  // def_cfa_sf
        number = r.uleb();
        define_cfa(number, r.sleb() * p_.data_alignment);
        return true;
      case 0x13:  // def_cfa_offset_sf
        row_.cfa_offset = r.sleb() * p_.data_alignment;
        return true;
      case 0x14:  // val_offset
      case 0x15:  // val_offset_sf
        save(r.uleb(), saved::other, 0);
        r.uleb();
        return true;
      case 0x16:  // val_expression
        save(r.uleb(), saved::other, 0);
        r.skip(r.uleb());
        return true;
      case 0x2d:  // AARCH64_negate_ra_state: signatures are taken off wherever they may be
        return !detail::return_address_below_cfa;
      case 0x2e:  // GNU_args_size: concerns landing pads only
        r.uleb();
        return true;
      case 0x2f:  // GNU_negative_offset_extended
        number = r.uleb();
        save(number, saved::at_cfa, -factored(r.uleb()));
        return true;
      default:
        return false;
    }
  }

  bool advance(std::uint64_t delta) noexcept {
    at_ += delta * p_.code_alignment;
    return true;
  }

  [[nodiscard]] std::int64_t factored(std::uint64_t offset) const noexcept {
    return static_cast<std::int64_t>(offset) * p_.data_alignment;
  }

  void define_cfa(std::uint64_t number, std::int64_t offset) noexcept {
    row_.cfa = number == number_sp          ? cfa_from::sp
               : number == number_fp        ? cfa_from::fp
               : number < general_registers ? cfa_from::other
                                            : cfa_from::nothing;
    row_.cfa_register = static_cast<std::uint8_t>(number);
    row_.cfa_offset = offset;
  }

  void save(std::uint64_t number, saved how, std::int64_t offset) noexcept {
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

  void restore(std::uint64_t number) noexcept {
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
  bool cfa_expression(table_reader& r) noexcept {
    const std::uint64_t length = r.uleb();
    table_reader e{r.position(), r.position() + length};
    r.skip(length);
    row_.cfa = cfa_from::nothing;
    if (r.failed()) return true;
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
  bool plt_expression(table_reader e, std::uint64_t length) noexcept {
    if (!detail::return_address_below_cfa || length != 11) return false;
    constexpr auto breg_sp = static_cast<unsigned char>(0x70 + number_sp);
    if (e.fixed<unsigned char>() != breg_sp) return false;
    const std::int64_t offset = e.sleb();
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
    row_.cfa_offset = offset + ((pc_ & 15) >= limit ? 8 : 0);
    return true;
  }

  /// Saved at fp + offset, or in a way that is not understood.
  bool expression(table_reader& r) noexcept {
    const std::uint64_t number = r.uleb();
    const std::uint64_t length = r.uleb();
    table_reader e{r.position(), r.position() + length};
    r.skip(length);
    const bool of_fp = !r.failed() && e.fixed<unsigned char>() == op_breg_fp;
    const std::int64_t offset = of_fp ? e.sleb() : 0;
    save(number, of_fp && e.at_end() && !e.failed() ? saved::at_fp : saved::other, offset);
    return true;
  }

  static constexpr int most_remembered = 8;
  procedure const& p_;
  std::uintptr_t pc_;
  std::uintptr_t at_;
  row row_{};
  row initial_{};
  row remembered_[most_remembered];
  int depth_ = 0;
};

/// Where the frame pointer is saved, or would be: what a rule keeps as fp_offset.
std::int64_t pair_offset(row const& r) noexcept {
  return detail::return_address_below_cfa ? r.fp_offset : r.return_offset - 8;
}

/// Whether the return address is where `step` reads it.
bool finds_return_address(row const& r) noexcept {
  if (r.return_address != saved::at_cfa) return false;
  if (detail::return_address_below_cfa) return r.return_offset == -8;
  return r.fp == saved::same || (r.fp == saved::at_cfa && r.fp_offset == r.return_offset - 8);
}

/// Before a function has set up its frame, after it has left it, or if it never has one.
bool is_in_link_register(row const& r) noexcept {
  return !detail::return_address_below_cfa && r.return_address == saved::same &&
         r.fp == saved::same;
}

bool fits(std::int64_t offset) noexcept { return offset == static_cast<std::int32_t>(offset); }

}  // namespace

step_rule rule_at(procedure const& p, std::uintptr_t pc) noexcept {
  if (!can_step || p.signal_frame || p.return_register != number_return) return {};
  interpreter table{p, pc};
  if (!table.run(p.initial_begin, p.initial_end)) return {};
  table.keep_as_initial();
  if (!table.run(p.rules_begin, p.rules_end)) return {};
  row const& found = table.result();
  if (found.return_address == saved::undefined) {
    return {.cfa = found.cfa, .outermost = true};
  }
  if (is_in_link_register(found)) {
    if (!fits(found.cfa_offset)) return {};
    return {.cfa_offset = static_cast<std::int32_t>(found.cfa_offset),
            .cfa = found.cfa,
            .fp = fp_in::with_link,
            .cfa_register = found.cfa_register};
  }
  if (!finds_return_address(found)) return {};
  if (!fits(found.cfa_offset) || !fits(pair_offset(found))) return {};
  step_rule rule{.cfa_offset = static_cast<std::int32_t>(found.cfa_offset),
                 .fp_offset = static_cast<std::int32_t>(pair_offset(found)),
                 .cfa = found.cfa,
                 .cfa_register = found.cfa_register};
  switch (found.fp) {
    case saved::same:
      rule.fp = fp_in::fp;
      break;
    case saved::at_cfa:
      rule.fp = fp_in::at_cfa;
      break;
    case saved::at_fp:
      rule.fp = fp_in::at_fp;
      break;
    case saved::undefined:
    case saved::other:
      rule.fp = fp_in::nowhere;
      break;
  }
  return rule;
}

}  // namespace memprof::callstack
