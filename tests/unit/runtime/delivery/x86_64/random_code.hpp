// SPDX-License-Identifier: MIT
/// \file
/// Random instructions of x86-64, and a call of them.
#pragma once

#include <cstdint>
#include <cstring>
#include <iterator>
#include <random>

namespace memprof::test {

/// The registers in the order of their numbers, and the flags. rsp is what it was at the code's
/// first instruction.
struct processor_state {
  std::uint64_t registers[16] = {};
  std::uint64_t flags = 0;
};

/// Loads the state, calls the code, and stores the state that it leaves.
extern "C" void memprof_test_run(void const* code, processor_state* state);

/// What comes behind the opcode.
enum class tail : std::uint8_t { none, modrm, modrm_byte, modrm_full, byte, full, moved, address };

struct pattern {
  bool two_bytes;
  std::uint8_t first, last;  ///< opcodes
  bool bytes;                ///< of one byte, whose registers 4 to 7 are ah .. bh without REX
  tail behind;
  std::uint8_t groups = 0xff;  ///< which values of modrm's `reg` there are
  bool repeat = false;         ///< with f3 before it
};

inline constexpr pattern followed[]{
    {false, 0x00, 0x00, true, tail::modrm},          {false, 0x01, 0x01, false, tail::modrm},
    {false, 0x02, 0x02, true, tail::modrm},          {false, 0x03, 0x03, false, tail::modrm},
    {false, 0x04, 0x04, true, tail::byte},           {false, 0x05, 0x05, false, tail::full},
    {false, 0x80, 0x80, true, tail::modrm_byte},     {false, 0x81, 0x81, false, tail::modrm_full},
    {false, 0x83, 0x83, false, tail::modrm_byte},    {false, 0x84, 0x84, true, tail::modrm},
    {false, 0x85, 0x85, false, tail::modrm},         {false, 0xa8, 0xa8, true, tail::byte},
    {false, 0xa9, 0xa9, false, tail::full},          {false, 0xf6, 0xf6, true, tail::modrm_byte, 1},
    {false, 0xf7, 0xf7, false, tail::modrm_full, 1}, {false, 0x88, 0x88, true, tail::modrm},
    {false, 0x89, 0x89, false, tail::modrm},         {false, 0x8a, 0x8a, true, tail::modrm},
    {false, 0x8b, 0x8b, false, tail::modrm},         {false, 0xb0, 0xb7, true, tail::byte},
    {false, 0xb8, 0xbf, false, tail::moved},         {false, 0xc6, 0xc6, true, tail::modrm_byte, 1},
    {false, 0xc7, 0xc7, false, tail::modrm_full, 1}, {false, 0x63, 0x63, false, tail::modrm},
    {true, 0xb6, 0xb6, true, tail::modrm},           {true, 0xb7, 0xb7, false, tail::modrm},
    {true, 0xbe, 0xbe, true, tail::modrm},           {true, 0xbf, 0xbf, false, tail::modrm},
    {false, 0x98, 0x98, false, tail::none},          {false, 0x8d, 0x8d, false, tail::address},
    {false, 0xfe, 0xfe, true, tail::modrm, 3},       {false, 0xff, 0xff, false, tail::modrm, 3},
    {true, 0x90, 0x9f, true, tail::modrm},           {true, 0x40, 0x4f, false, tail::modrm},
};
inline constexpr pattern not_followed[]{
    {false, 0x99, 0x99, false, tail::none},
    {false, 0xc0, 0xc0, true, tail::modrm_byte},
    {false, 0xc1, 0xc1, false, tail::modrm_byte},
    {false, 0xd0, 0xd0, true, tail::modrm},
    {false, 0xd1, 0xd1, false, tail::modrm},
    {false, 0xd2, 0xd2, true, tail::modrm},
    {false, 0xd3, 0xd3, false, tail::modrm},
    {false, 0xf6, 0xf6, true, tail::modrm, 0x3c},
    {false, 0xf7, 0xf7, false, tail::modrm, 0x3c},
    {true, 0xaf, 0xaf, false, tail::modrm},
    {false, 0x69, 0x69, false, tail::modrm_full},
    {false, 0x6b, 0x6b, false, tail::modrm_byte},
    {true, 0xc8, 0xcf, false, tail::none},
    {true, 0xa3, 0xa3, false, tail::modrm},
    {true, 0xab, 0xab, false, tail::modrm},
    {true, 0xb3, 0xb3, false, tail::modrm},
    {true, 0xbb, 0xbb, false, tail::modrm},
    {true, 0xba, 0xba, false, tail::modrm_byte, 0xf0},
    {true, 0xbc, 0xbd, false, tail::modrm},
    {true, 0xb8, 0xb8, false, tail::modrm, 0xff, true},
    {false, 0x86, 0x86, true, tail::modrm},
    {false, 0x87, 0x87, false, tail::modrm},
    {false, 0x90, 0x97, false, tail::none},
    {true, 0xb0, 0xb0, true, tail::modrm},
    {true, 0xb1, 0xb1, false, tail::modrm},
    {true, 0xc0, 0xc0, true, tail::modrm},
    {true, 0xc1, 0xc1, false, tail::modrm},
    {true, 0xa4, 0xa4, false, tail::modrm_byte},
    {true, 0xa5, 0xa5, false, tail::modrm},
    {true, 0xac, 0xac, false, tail::modrm_byte},
    {true, 0xad, 0xad, false, tail::modrm},
    {false, 0xf5, 0xf5, false, tail::none},
    {false, 0xf8, 0xf9, false, tail::none},
};

class generator {
 public:
  explicit generator(std::uint64_t seed) : random_(seed) {}

  std::uint64_t below(std::uint64_t n) { return random_() % n; }
  /// Bounds and small numbers as often as any.
  std::uint64_t number() {
    constexpr std::uint64_t some[]{0,          1,          0x7f,       0x80,
                                   0xff,       0x7fff,     0x8000,     0xffff,
                                   0x7fffffff, 0x80000000, 0xffffffff, 0x7fffffffffffffff,
                                   1ULL << 63, ~0ULL,      2,          ~0ULL - 1};
    return below(2) == 0 ? some[below(std::size(some))] : random_();
  }

  /// Writes an instruction that does not write to rsp; returns its end.
  unsigned char* write(unsigned char* at, bool is_followed) {
    if (is_followed && below(30) == 0) {  // push and pop
      *at++ = static_cast<unsigned char>(0x50 + other_than_rsp());
      *at++ = static_cast<unsigned char>(0x58 + other_than_rsp());
      return at;
    }
    pattern const& p = is_followed ? followed[below(std::size(followed))]
                                   : not_followed[below(std::size(not_followed))];
    unsigned opcode = p.first + static_cast<unsigned>(below(p.last - p.first + 1u));
    // All eight of add, or, ..., cmp.
    if (!p.two_bytes && p.first < 0x06) opcode += static_cast<unsigned>(8 * below(8));
    const bool word = !p.bytes && p.first != 0x63 && below(5) == 0;  // none writes movsxd so
    if (word) *at++ = 0x66;
    if (p.repeat) *at++ = 0xf3;
    const unsigned rex = below(2) == 0 ? 0 : 0x40 + static_cast<unsigned>(below(16));
    if (rex != 0) *at++ = static_cast<unsigned char>(rex);
    if (p.two_bytes) *at++ = 0x0f;
    if (p.last - p.first == 7) {
      opcode = p.first + field(rex != 0 && (rex & 1) != 0, p.bytes && rex == 0);
    }
    *at++ = static_cast<unsigned char>(opcode);
    const bool wide = (rex & 8) != 0;
    unsigned immediate = 0;
    switch (p.behind) {
      case tail::none:
        break;
      case tail::byte:
        immediate = 1;
        break;
      case tail::full:
        immediate = wide ? 4 : word ? 2 : 4;
        break;
      case tail::moved:
        immediate = wide ? 8 : word ? 2 : 4;
        break;
      case tail::address:
        return write_address(at, rex);
      default: {
        // movzx and the like read bytes or words into a register that is not of bytes.
        const bool high = p.bytes && rex == 0;
        const bool to_full = p.two_bytes && (p.first == 0xb6 || p.first == 0xbe);
        const unsigned rm = field((rex & 1) != 0, high);
        unsigned reg = field((rex & 4) != 0, high && !to_full);
        while (p.groups != 0xff && (p.groups >> reg & 1) == 0)
          reg = static_cast<unsigned>(below(8));
        *at++ = static_cast<unsigned char>(0xc0 | reg << 3 | rm);
        if (p.behind == tail::modrm_byte) immediate = 1;
        if (p.behind == tail::modrm_full) immediate = word && !wide ? 2 : 4;
      }
    }
    return write_immediate(at, immediate);
  }

 private:
  unsigned other_than_rsp() { return field(false, false); }
  /// Three bits of a register's number that is not that of rsp.
  unsigned field(bool extended, bool high_bytes) {
    for (;;) {
      const auto bits = static_cast<unsigned>(below(8));
      if (bits != 4 || extended || high_bytes) return bits;
    }
  }
  unsigned char* write_immediate(unsigned char* at, unsigned size) {
    const std::uint64_t bits = number();
    std::memcpy(at, &bits, size);
    return at + size;
  }
  unsigned char* write_address(unsigned char* at, unsigned rex) {
    const auto mod = static_cast<unsigned>(below(3));
    const auto rm = static_cast<unsigned>(below(8));
    *at++ = static_cast<unsigned char>(mod << 6 | field((rex & 4) != 0, false) << 3 | rm);
    unsigned base = rm;
    if (rm == 4) {
      base = static_cast<unsigned>(below(8));
      *at++ = static_cast<unsigned char>(below(4) << 6 | below(8) << 3 | base);
    }
    const bool without_base = mod == 0 && base == 5;
    return write_immediate(at, mod == 1 ? 1 : mod == 2 || without_base ? 4 : 0);
  }

  std::mt19937_64 random_;
};

}  // namespace memprof::test
