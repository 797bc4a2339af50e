// SPDX-License-Identifier: MIT
#if defined(__x86_64__)

#include "delivery/x86_64/encoding.hpp"

namespace memprof::delivery::x86_64 {
namespace {

// What follows an opcode, a character each:
//   .  nothing                    m  ModRM
//   i  8-bit immediate            b  ModRM and 8-bit immediate
//   z  16 or 32-bit immediate     d  ModRM and 16 or 32-bit immediate
//   q  16, 32 or 64-bit immediate w  16-bit immediate     e  24 bits (enter)
//   j  8-bit distance             J  32-bit distance      o  an address of 4 or 8 bytes
//   g  ModRM, and an 8-bit immediate if its reg field is 0 or 1 (test); G  the same, 16 or 32-bit
//   x  undefined, or never emitted; prefixes and escapes are dealt with before this is asked
constexpr char one_byte_kinds[] =
    "mmmmizxxmmmmizxx"
    "mmmmizxxmmmmizxx"
    "mmmmizxxmmmmizxx"
    "mmmmizxxmmmmizxx"  // 00 .. 3f
    "xxxxxxxxxxxxxxxx"
    "................"
    "xxxmxxxxzdib...."
    "jjjjjjjjjjjjjjjj"  // 40 .. 7f
    "bdxbmmmmmmmmmmmm"
    "..........x....."
    "oooo....iz......"
    "iiiiiiiiqqqqqqqq"  // 80 .. bf
    "bbw.xxbde.xx.ixx"
    "mmmmxxx.mmmmmmmm"
    "jjjjiiiiJJxj...."
    "x.xx..gG......mm";  // c0 .. ff
constexpr char two_byte_kinds[] =
    "mmmmx..x..x.xm.b"
    "mmmmmmmmmmmmmmmm"
    "xxxxxxxxmmmmmmmm"
    "....xxx.xxxxxxxx"  // 00 .. 3f
    "mmmmmmmmmmmmmmmm"
    "mmmmmmmmmmmmmmmm"
    "mmmmmmmmmmmmmmmm"
    "bbbbmmm.xxxxmmmm"  // 40 .. 7f
    "JJJJJJJJJJJJJJJJ"
    "mmmmmmmmmmmmmmmm"
    "xx.mbmxxxxxmbmmm"
    "mmmmmmmmmmbmmmmm"  // 80 .. bf
    "mmbmbbbm........"
    "mmmmmmmmmmmmmmmm"
    "mmmmmmmmmmmmmmmm"
    "mmmmmmmmmmmmmmmm";  // c0 .. ff
static_assert(sizeof one_byte_kinds == 257 && sizeof two_byte_kinds == 257);

// No instruction is longer; more prefixes than fit are an error of the processor, too.
constexpr std::size_t longest = 15;

class reader {
 public:
  reader(unsigned char const* code, std::size_t available) noexcept
      : code_(code), available_(available < longest ? available : longest) {}

  [[nodiscard]] bool more(std::size_t n = 1) const noexcept { return available_ - at_ >= n; }
  [[nodiscard]] std::uint8_t peek() const noexcept { return code_[at_]; }
  std::uint8_t take() noexcept { return code_[at_++]; }
  [[nodiscard]] std::size_t position() const noexcept { return at_; }

  /// A little-endian signed number.
  bool take_signed(unsigned size, std::int64_t& number) noexcept {
    if (!more(size)) return false;
    std::uint64_t bits = 0;
    for (unsigned i = 0; i < size; ++i) bits |= std::uint64_t{take()} << (8 * i);
    const unsigned unused = 64 - 8 * size;
    number = size == 0 ? 0 : static_cast<std::int64_t>(bits << unused) >> unused;
    return true;
  }

 private:
  unsigned char const* code_;
  std::size_t available_;
  std::size_t at_ = 0;
};

bool take_legacy_prefixes(reader& in, encoding& f) noexcept {
  for (; in.more(); in.take()) {
    switch (in.peek()) {
      case 0x66:
        f.operand_16 = true;
        break;
      case 0x67:
        f.address_32 = true;
        break;
      case 0xf2:
      case 0xf3:
        f.repeat = in.peek();
        break;
      case 0x64:
      case 0x65:
        f.segment = true;
        break;
      case 0x26:
      case 0x2e:
      case 0x36:
      case 0x3e:  // segments that mean nothing in 64-bit mode; notrack
      case 0xf0:
        break;
      default:
        return true;
    }
  }
  return false;
}

// The register extensions of REX, VEX and EVEX, until ModRM is read.
struct extensions {
  std::uint8_t r = 0, x = 0, b = 0;
};

bool take_vex(reader& in, encoding& f, extensions& ext, std::uint8_t first) noexcept {
  if (f.operand_16 || f.repeat != 0) return false;
  f.kind = first == 0x62 ? prefix::evex : prefix::vex;
  std::uint8_t map = 1;
  if (!in.more(first == 0x62 ? 4 : first == 0xc4 ? 3 : 2)) return false;
  std::uint8_t rest = in.take();
  ext.r = (rest & 0x80) != 0 ? 0 : 8;
  if (first != 0xc5) {
    ext.x = (rest & 0x40) != 0 ? 0 : 8;
    ext.b = (rest & 0x20) != 0 ? 0 : 8;
    map = first == 0xc4 ? rest & 0x1f : rest & 0x0f;
    if (first == 0x62 && (map & 8) != 0) return false;  // APX
    rest = in.take();
    f.wide = (rest & 0x80) != 0;
    if (first == 0x62 && (rest & 4) == 0) return false;
  }
  f.vvvv = static_cast<std::uint8_t>(~(rest >> 3) & 15);
  const std::uint8_t implied = rest & 3;
  f.vector_256 = f.kind == prefix::vex && (rest & 4) != 0;
  f.operand_16 = implied == 1;
  f.repeat = implied == 2 ? 0xf3 : implied == 3 ? 0xf2 : 0;
  if (first == 0x62) in.take();
  const bool known = map >= 1 && (map <= 3 || (f.kind == prefix::evex && (map == 5 || map == 6)));
  if (!known) return false;
  f.map = static_cast<opcode_map>(map);
  return true;
}

bool take_opcode(reader& in, encoding& f, extensions& ext) noexcept {
  if (!in.more()) return false;
  if ((in.peek() & 0xf0) == 0x40) {
    const std::uint8_t rex = in.take();
    f.rex = true;
    f.wide = (rex & 8) != 0;
    ext = {static_cast<std::uint8_t>((rex & 4) << 1), static_cast<std::uint8_t>((rex & 2) << 2),
           static_cast<std::uint8_t>((rex & 1) << 3)};
    if (!in.more()) return false;
  }
  std::uint8_t opcode = in.take();
  if (opcode == 0xc4 || opcode == 0xc5 || opcode == 0x62) {
    if (f.rex || !take_vex(in, f, ext, opcode) || !in.more()) return false;
    opcode = in.take();
  } else if (opcode == 0x0f) {
    f.map = opcode_map::two_byte;
    if (!in.more()) return false;
    opcode = in.take();
    if (opcode == 0x38 || opcode == 0x3a) {
      f.map = opcode == 0x38 ? opcode_map::with_38 : opcode_map::with_3a;
      if (!in.more()) return false;
      opcode = in.take();
    }
  }
  f.opcode = opcode;
  // Without an extension this is a short form whose register is in the opcode itself.
  f.rm = static_cast<std::uint8_t>((opcode & 7) | ext.b);
  return true;
}

bool take_modrm(reader& in, encoding& f, extensions const& ext) noexcept {
  if (!in.more()) return false;
  const std::uint8_t modrm = in.take();
  f.has_modrm = true;
  f.mod = modrm >> 6;
  f.reg_low = (modrm >> 3) & 7;
  f.reg = f.reg_low | ext.r;
  const std::uint8_t rm = modrm & 7;
  f.rm = rm | ext.b;
  if (f.mod == 3) return true;
  unsigned size = f.mod == 1 ? 1 : f.mod == 2 ? 4 : 0;
  if (rm == 4) {
    if (!in.more()) return false;
    const std::uint8_t sib = in.take();
    const std::uint8_t index = ((sib >> 3) & 7) | ext.x;
    if (index != 4) f.index = index;
    f.scale = static_cast<std::uint8_t>(1U << (sib >> 6));
    if ((sib & 7) == 5 && f.mod == 0) {
      size = 4;
    } else {
      f.base = (sib & 7) | ext.b;
    }
  } else if (rm == 5 && f.mod == 0) {
    f.rip_relative = true;
    size = 4;
  } else {
    f.base = f.rm;
  }
  return in.take_signed(size, f.displacement);
}

// What follows the opcode, as a character of the tables above.
char layout(encoding const& f) noexcept {
  switch (f.map) {
    case opcode_map::one_byte:
      return one_byte_kinds[f.opcode];
    case opcode_map::two_byte:
      break;
    case opcode_map::with_3a:
      return 'b';
    default:
      return 'm';
  }
  // Conversions of AVX-512 stand where others have undefined opcodes.
  if (f.kind == prefix::evex && f.opcode >= 0x78 && f.opcode <= 0x7b) return 'm';
  const char kind = two_byte_kinds[f.opcode];
  // None of VEX is a jump.
  if (f.kind != prefix::legacy && kind != 'm' && kind != 'b' && f.opcode != 0x77) return 'x';
  return kind;
}

bool take_immediate(reader& in, encoding& f, char kind) noexcept {
  const std::uint8_t by_size = !f.wide && f.operand_16 ? 2 : 4;
  switch (kind) {
    case '.':
    case 'm':
      f.immediate_size = 0;
      break;
    case 'g':
      f.immediate_size = f.reg_low < 2 ? 1 : 0;
      break;
    case 'G':
      f.immediate_size = f.reg_low < 2 ? by_size : 0;
      break;
    case 'i':
    case 'b':
    case 'j':
      f.immediate_size = 1;
      break;
    case 'w':
      f.immediate_size = 2;
      break;
    case 'e':
      f.immediate_size = 3;
      break;
    case 'z':
    case 'd':
      f.immediate_size = by_size;
      break;
    case 'q':
      f.immediate_size = f.wide ? 8 : by_size;
      break;
    case 'J':
      // Whether prefix 66 shortens the distance depends on the maker of the processor.
      if (f.operand_16 && !f.wide) return false;
      f.immediate_size = 4;
      break;
    case 'o':
      f.immediate_size = f.address_32 ? 4 : 8;
      break;
    default:
      return false;
  }
  return in.take_signed(f.immediate_size, f.immediate);
}

}  // namespace

bool take_apart(unsigned char const* code, std::size_t available, encoding& fields) noexcept {
  fields = {};
  reader in{code, available};
  extensions ext;
  if (!take_legacy_prefixes(in, fields) || !take_opcode(in, fields, ext)) return false;
  const char kind = layout(fields);
  const bool modrm = kind == 'm' || kind == 'b' || kind == 'd' || kind == 'g' || kind == 'G';
  if (modrm && !take_modrm(in, fields, ext)) return false;
  if (fields.kind == prefix::legacy && fields.map == opcode_map::one_byte &&
      fields.opcode == 0x8f && fields.reg_low != 0) {
    return false;  // XOP
  }
  if (!take_immediate(in, fields, kind)) return false;
  fields.length = static_cast<std::uint8_t>(in.position());
  return true;
}

}  // namespace memprof::delivery::x86_64

#endif
