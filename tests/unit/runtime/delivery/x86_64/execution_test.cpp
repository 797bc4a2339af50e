// SPDX-License-Identifier: MIT
//
// The processor judges: random instructions without memory operands are run by it, and followed.
// What is said to be known afterwards must be so: registers, and each condition of the flags. What
// is not followed may change only what is said to be destroyed.
#if defined(__x86_64__)

#include "delivery/x86_64/execution.hpp"

#include <cstdint>
#include <string>
#include <sys/mman.h>

#include "support/catch2.hpp"
#include "unit/runtime/delivery/x86_64/random_code.hpp"

using namespace memprof::delivery;
using namespace memprof::delivery::x86_64;
using namespace memprof::test;

namespace {

constexpr std::uint64_t arithmetic_flags = 0x8d5;  // overflow, sign, zero, adjust, parity, carry

bool real_condition(std::uint64_t flags, unsigned condition) {
  const bool carry = (flags & 1) != 0, zero = (flags >> 6 & 1) != 0;
  const bool sign = (flags >> 7 & 1) != 0, overflow = (flags >> 11 & 1) != 0;
  const bool parity = (flags >> 2 & 1) != 0;
  const bool any[8] = {overflow,
                       carry,
                       zero,
                       carry || zero,
                       sign,
                       parity,
                       sign != overflow,
                       zero || sign != overflow};
  return any[condition >> 1] != ((condition & 1) != 0);
}

/// What places of the frame are counted from. (Those of the stack: from rsp.)
constexpr std::uint64_t frame_at_entry = 0x7ffd1234ffe0;

/// Code that is run by the processor, and followed.
class comparison {
 public:
  comparison() { REQUIRE(code_ != MAP_FAILED); }
  ~comparison() { munmap(code_, page); }
  comparison(comparison const&) = delete;
  comparison& operator=(comparison const&) = delete;

  processor_state real;
  machine_state known;

  unsigned char* code() noexcept { return code_; }

  /// Numbers in all registers, which are known, or places, or unknown.
  void begin(generator& random, bool all_numbers) {
    known = {};
    known.set_reg(rsp, {value::kind::stack, 0});
    for (std::uint8_t r = 0; r < 16; ++r) {
      const std::uint64_t bits = random.number();
      real.registers[r] = bits;
      const auto how = all_numbers ? 7 : random.below(8);
      if (r == rsp || how == 0) continue;
      if (how == 1) known.set_reg(r, {value::kind::stack, bits});
      if (how == 2) known.set_reg(r, {value::kind::frame, bits - frame_at_entry});
      if (how > 2) known.set_reg(r, value::constant(bits));
    }
    real.flags = 0x202 | (random.number() & arithmetic_flags);
  }

  /// False: some of it is not understood. `last` is the last instruction.
  bool run(unsigned char* end, instruction& last) {
    text_.clear();
    *end = 0xc3;
    processor_state probe;
    memprof_test_run(end, &probe);
    for (std::uint8_t r = 0; r < 16; ++r) {
      const value v = known.reg(r);
      if (r != rsp && v.what == value::kind::stack) {
        real.registers[r] = v.bits + probe.registers[rsp];
      }
    }
    for (unsigned char const* at = code_; at != end; at += last.length) {
      if (!decode(at, static_cast<std::size_t>(end - at), reinterpret_cast<std::uint64_t>(at),
                  last))
        return false;
      execute(last, module_, known);
      for (unsigned n = 0; n < last.length; ++n) {
        constexpr char digits[] = "0123456789abcdef";
        text_ += std::string{digits[at[n] >> 4], digits[at[n] & 15], ' '};
      }
      REQUIRE(at + last.length <= end);
    }
    memprof_test_run(code_, &real);
    return true;
  }

  /// Checks what is known; how many registers and conditions that are.
  void compare() {
    CHECK(known.reg(rsp) == value{value::kind::stack, 0});
    for (std::uint8_t r = 0; r < 16; ++r) {
      const value v = known.reg(r);
      if (r == rsp || (!v.is_number() && !v.is_place())) continue;
      ++registers;
      std::uint64_t bits = v.bits;
      if (v.what == value::kind::stack) bits += real.registers[rsp];
      if (v.what == value::kind::frame) bits += frame_at_entry;
      if (bits == real.registers[r]) continue;
      INFO(text_ << "register " << int{r});
      CHECK(bits == real.registers[r]);
    }
    for (std::uint8_t condition = 0; condition < 16; ++condition) {
      const auto now = holds(known.status, condition);
      if (!now) continue;
      ++conditions;
      if (*now == real_condition(real.flags, condition)) continue;
      INFO(text_ << "condition " << int{condition});
      CHECK(*now == real_condition(real.flags, condition));
    }
  }
  [[nodiscard]] std::string const& text() const noexcept { return text_; }

  std::uint64_t registers = 0;
  std::uint64_t conditions = 0;

 private:
  static constexpr std::size_t page = 4096;
  unsigned char* code_ = static_cast<unsigned char*>(
      mmap(nullptr, page, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  memprof::delivery::module_code module_;
  std::string text_;
};

bool is_high_byte(operand const& o) { return o.kind == operand::form::high_byte; }

}  // namespace

TEST_CASE("x86 execution: what is known is what the processor does") {
  generator random(1);
  comparison c;
  int refused = 0;
  constexpr int rounds = 200'000;
  for (int round = 0; round < rounds; ++round) {
    c.begin(random, false);
    unsigned char* end = c.code();
    for (auto n = 1 + random.below(4); n > 0; --n) end = random.write(end, random.below(3) != 0);
    instruction last;
    if (c.run(end, last)) {
      c.compare();
    } else {
      ++refused;
    }
  }
  // Else little was compared.
  CHECK(refused < rounds / 50);
  CHECK(c.registers > std::uint64_t{rounds} * 11);
  CHECK(c.conditions > std::uint64_t{rounds} * 2);
}

TEST_CASE("x86 execution: of numbers all is known, but for carries, second bytes and parity") {
  generator random(2);
  comparison c;
  for (int round = 0; round < 50'000; ++round) {
    c.begin(random, true);
    unsigned char* end = c.code();
    *end++ = 0x39;  // cmp %ebx,%ecx, which makes the flags known
    *end++ = 0xd9;
    end = random.write(end, true);
    instruction last;
    REQUIRE(c.run(end, last));
    c.compare();
    const bool parity = last.condition >> 1 == 5;
    const bool left_out = last.what == op::adc || last.what == op::sbb || is_high_byte(last.to) ||
                          is_high_byte(last.from) ||
                          (parity && (last.what == op::set_if || last.what == op::move_if)) ||
                          (last.what == op::load_address &&
                           (last.from.base == rsp || last.from.index != no_register));
    for (std::uint8_t r = 0; r < 16 && !left_out; ++r) {
      if (r == rsp || c.known.reg(r).is_number()) continue;
      INFO(c.text() << "register " << int{r});
      CHECK(c.known.reg(r).is_number());
    }
    INFO(c.text());
    if (!left_out) CHECK(c.known.status.known);
  }
}

#endif
