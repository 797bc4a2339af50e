// SPDX-License-Identifier: MIT
#if defined(__x86_64__)

#include "delivery/x86_64/decoder.hpp"

#include <cstring>
#include <initializer_list>
#include <link.h>
#include <string>

#include "callstack/callstack.hpp"
#include "support/catch2.hpp"

using namespace memprof::delivery;
using x86_64::op;

namespace {

struct sample {
  std::initializer_list<unsigned char> bytes;
  op what;
};

x86_64::instruction decoded(std::initializer_list<unsigned char> bytes, std::uint64_t address = 0) {
  unsigned char code[16] = {};
  std::copy(bytes.begin(), bytes.end(), code);
  x86_64::instruction i;
  REQUIRE(x86_64::decode(code, sizeof code, address, i));
  CHECK(i.length == bytes.size());
  return i;
}

bool refused(std::initializer_list<unsigned char> bytes) {
  x86_64::instruction i;
  return !x86_64::decode(bytes.begin(), bytes.size(), 0, i);
}

}  // namespace

// Lengths as the assembler and the disassembler of binutils have them.
TEST_CASE("x86 decoder: lengths and kinds") {
  const sample samples[] = {
      {{0x55}, op::push},
      {{0x41, 0x57}, op::push},
      {{0x48, 0x89, 0xe5}, op::move},                               // mov %rsp,%rbp
      {{0x48, 0x8b, 0x05, 1, 2, 3, 4}, op::move},                   // mov 0x(%rip),%rax
      {{0x48, 0xb8, 1, 2, 3, 4, 5, 6, 7, 8}, op::move},             // movabs
      {{0x66, 0xb8, 1, 2}, op::move},                               // mov $,%ax
      {{0xc7, 0x44, 0x24, 0x08, 1, 0, 0, 0}, op::move},             // movl $1,8(%rsp)
      {{0x66, 0xc7, 0x45, 0xf0, 1, 0}, op::move},                   // movw
      {{0x64, 0x48, 0x8b, 0x04, 0x25, 0x28, 0, 0, 0}, op::move},    // mov %fs:0x28,%rax
      {{0x48, 0xa1, 1, 2, 3, 4, 5, 6, 7, 8}, op::other},            // movabs addr,%rax
      {{0x48, 0x8d, 0x84, 0x24, 0x80, 0, 0, 0}, op::load_address},  // lea 0x80(%rsp),%rax
      {{0x0f, 0xb6, 0xc0}, op::move_zero_extended},
      {{0x48, 0x63, 0x04, 0x93}, op::move_sign_extended},  // movslq (%rbx,%rdx,4)
      {{0x48, 0x83, 0xfa, 0x01}, op::cmp},
      {{0x48, 0x81, 0xec, 0x88, 0, 0, 0}, op::sub},
      {{0x3d, 1, 2, 3, 4}, op::cmp},
      {{0x66, 0x3d, 1, 2}, op::cmp},
      {{0xf6, 0xc1, 0x01}, op::test},
      {{0xf7, 0xc2, 1, 0, 0, 0}, op::test},
      {{0xf7, 0xd8}, op::other},  // neg
      {{0x31, 0xc0}, op::xor_},
      {{0x83, 0xea, 0x01}, op::sub},
      {{0xff, 0xca}, op::dec},
      {{0x0f, 0x94, 0xc0}, op::set_if},
      {{0x0f, 0x44, 0xc1}, op::move_if},
      {{0x74, 0x05}, op::jump_if},
      {{0x0f, 0x85, 1, 2, 3, 4}, op::jump_if},
      {{0xe3, 0x05}, op::jump_unclear},
      {{0xeb, 0xfe}, op::jump},
      {{0xe9, 1, 2, 3, 4}, op::jump},
      {{0xf2, 0xff, 0x25, 1, 2, 3, 4}, op::jump},  // bnd jmp *0x(%rip)
      {{0x3e, 0xff, 0xe0}, op::jump},              // notrack jmp *%rax
      {{0xe8, 1, 2, 3, 4}, op::call},
      {{0x67, 0xe8, 1, 2, 3, 4}, op::call},  // addr32 call, relaxed
      {{0xff, 0x15, 1, 2, 3, 4}, op::call},
      {{0x66, 0x66, 0x48, 0xe8, 1, 2, 3, 4}, op::call},  // __tls_get_addr
      {{0x41, 0xff, 0x54, 0x24, 0x10}, op::call},
      {{0xc3}, op::ret},
      {{0xf3, 0xc3}, op::ret},
      {{0xc9}, op::leave},
      {{0x0f, 0x0b}, op::trap},
      {{0xcc}, op::trap},
      {{0xf3, 0x0f, 0x1e, 0xfa}, op::other},                       // endbr64
      {{0x66, 0x2e, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0}, op::other},  // nopw
      {{0x0f, 0x29, 0x44, 0x24, 0x10}, op::other},                 // movaps
      {{0x66, 0x0f, 0x3a, 0x0f, 0xc1, 0x08}, op::other},           // palignr
      {{0x66, 0x0f, 0x38, 0x00, 0xc1}, op::other},                 // pshufb
      {{0x0f, 0xc6, 0xc0, 0x55}, op::other},                       // shufps
      {{0xf0, 0x0f, 0xb1, 0x0a}, op::other},                       // lock cmpxchg
      {{0xc5, 0xf8, 0x77}, op::other},                             // vzeroupper
      {{0xc5, 0xfe, 0x6f, 0x06}, op::other},                       // vmovdqu
      {{0xc4, 0xe2, 0x7d, 0x18, 0x05, 1, 2, 3, 4}, op::other},     // vbroadcastss
      {{0xc4, 0xe3, 0x7d, 0x39, 0xc1, 0x01}, op::other},           // vextracti128
      {{0xc4, 0xe3, 0xfb, 0xf0, 0xc0, 0x05}, op::other},           // rorx
      {{0x62, 0xf1, 0xfe, 0x48, 0x6f, 0x46, 0x01}, op::other},     // vmovdqu64
      {{0x62, 0xf3, 0x7d, 0x20, 0x3e, 0xc1, 0x00}, op::other},     // vpcmpub
      {{0x62, 0xf1, 0xff, 0x08, 0x7b, 0xc0}, op::other},           // vcvtusi2sd
      {{0x66, 0x63, 0xd1}, op::other},                             // movsxd to 16 bits
      {{0xd9, 0x7c, 0x24, 0x0e}, op::other},                       // fnstcw
      {{0x48, 0xab}, op::other},                                   // stos
      {{0x0f, 0x05}, op::other},                                   // syscall
  };
  for (sample const& s : samples) {
    std::string hex;
    for (const unsigned byte : s.bytes) hex += " " + std::to_string(byte);
    CAPTURE(hex);
    CHECK(decoded(s.bytes).what == s.what);
    for (std::size_t cut = 0; cut < s.bytes.size(); ++cut) {
      x86_64::instruction i;
      CHECK_FALSE(x86_64::decode(s.bytes.begin(), cut, 0, i));
    }
  }
}

TEST_CASE("x86 decoder: operands") {
  auto i = decoded({0x48, 0x8b, 0x15, 0x10, 0, 0, 0}, 0x1000);  // mov 0x10(%rip),%rdx
  CHECK(i.to.reg == x86_64::rdx);
  CHECK(i.from.value == 0x1017);
  CHECK(i.from.base == x86_64::no_register);
  i = decoded({0x89, 0x45, 0xdc});  // mov %eax,-0x24(%rbp)
  CHECK(i.to.base == x86_64::rbp);
  CHECK(i.to.value == -0x24);
  CHECK(i.to.size == 4);
  i = decoded({0x4b, 0x8b, 0x4c, 0xec, 0x08});  // mov 8(%r12,%r13,8),%rcx
  CHECK(i.from.base == x86_64::r12);
  CHECK(i.from.index == x86_64::r13);
  CHECK(i.from.scale == 8);
  i = decoded({0x48, 0x83, 0xfa, 0xff});  // cmp $-1,%rdx
  CHECK(i.from.value == -1);
  CHECK(i.to.size == 8);
  i = decoded({0x75, 0xfc}, 0x2000);
  CHECK(i.target == 0x1ffe);
  CHECK(i.condition == 5);
  i = decoded({0x88, 0xe0});  // mov %ah,%al
  CHECK(i.from.kind == x86_64::operand::form::high_byte);
  CHECK(i.from.reg == x86_64::rax);
  CHECK(decoded({0x64, 0x8b, 0x04, 0x25, 0, 0, 0, 0}).from.opaque);
}

TEST_CASE("x86 decoder: what unfollowed instructions destroy") {
  const auto clobbers = [](std::initializer_list<unsigned char> bytes) {
    return decoded(bytes).clobbers;
  };
  CHECK(clobbers({0xf7, 0xd9}) == 1U << x86_64::rcx);                        // neg %ecx
  CHECK(clobbers({0x48, 0xd1, 0xeb}) == 1U << x86_64::rbx);                  // shr %rbx
  CHECK(clobbers({0x48, 0x0f, 0xaf, 0xd0}) == 1U << x86_64::rdx);            // imul %rax,%rdx
  CHECK(clobbers({0x66, 0x48, 0x0f, 0x7e, 0xc2}) == 1U << x86_64::rdx);      // movq %xmm0,%rdx
  CHECK(clobbers({0x66, 0x48, 0x0f, 0x6e, 0xc2}) == 0);                      // movq %rdx,%xmm0
  CHECK(clobbers({0x66, 0x0f, 0xd7, 0xd0}) == 1U << x86_64::rdx);            // pmovmskb %xmm0,%edx
  CHECK(clobbers({0x0f, 0x28, 0xd0}) == 0);                                  // movaps %xmm0,%xmm2
  CHECK(clobbers({0x66, 0x0f, 0xd0, 0xd1}) == 0);                            // addsubpd %xmm1,%xmm2
  CHECK(clobbers({0x87, 0xca}) == (1U << x86_64::rcx | 1U << x86_64::rdx));  // xchg
  CHECK((clobbers({0x0f, 0xa2}) & 0xf) == 0xf);                              // cpuid
  CHECK(decoded({0x0f, 0x28, 0xd0}).keeps_flags);
  CHECK_FALSE(decoded({0x0f, 0x2e, 0xc1}).keeps_flags);                // ucomiss
  CHECK(decoded({0x0f, 0x11, 0x44, 0x24, 0x10}).writes_memory);        // movups to the stack
  CHECK_FALSE(decoded({0x0f, 0x10, 0x44, 0x24, 0x10}).writes_memory);  // and from it
}

// Each of these was wrong once; delivery.decoder found it.
TEST_CASE("x86 decoder: ah, ch, dh and bh are parts of rax, rcx, rdx and rbx") {
  const auto clobbers = [](std::initializer_list<unsigned char> bytes) {
    return decoded(bytes).clobbers;
  };
  CHECK(clobbers({0xd0, 0xe4}) == 1U << x86_64::rax);                        // shl %ah
  CHECK(clobbers({0x40, 0xd0, 0xe4}) == 1U << x86_64::rsp);                  // shl %spl
  CHECK(clobbers({0xd1, 0xe4}) == 1U << x86_64::rsp);                        // shl %esp
  CHECK(clobbers({0xc0, 0xef, 0x02}) == 1U << x86_64::rbx);                  // shr $2,%bh
  CHECK(clobbers({0xd2, 0xed}) == 1U << x86_64::rcx);                        // shr %cl,%ch
  CHECK(clobbers({0xf6, 0xde}) == 1U << x86_64::rdx);                        // neg %dh
  CHECK(clobbers({0x86, 0xdc}) == (1U << x86_64::rax | 1U << x86_64::rbx));  // xchg %bl,%ah
  CHECK(clobbers({0x86, 0xf9}) == (1U << x86_64::rcx | 1U << x86_64::rbx));  // xchg %bh,%cl
  CHECK(clobbers({0x0f, 0xb0, 0xcf}) ==
        (1U << x86_64::rax | 1U << x86_64::rbx));            // cmpxchg %cl,%bh
  CHECK(clobbers({0x0f, 0xc0, 0xe9}) == 1U << x86_64::rcx);  // xadd %ch,%cl
}

TEST_CASE("x86 decoder: vector instructions leave the general registers alone") {
  CHECK(decoded({0x66, 0x0f, 0x38, 0x00, 0xc1}).clobbers == 0);     // pshufb %xmm1,%xmm0
  CHECK(decoded({0xc4, 0xe2, 0x71, 0x00, 0xda}).clobbers == 0);     // vpshufb %xmm2,%xmm1,%xmm3
  CHECK(decoded({0x66, 0x0f, 0x3a, 0x0f, 0xd1, 8}).clobbers == 0);  // palignr $8,%xmm1,%xmm2
  CHECK(decoded({0xc4, 0xe2, 0x70, 0xf2, 0xda}).clobbers ==
        (1U << x86_64::rcx | 1U << x86_64::rbx | 1U << x86_64::rdx));  // andn %edx,%ecx,%ebx
}

TEST_CASE("x86 decoder: registers that are written by their second place in the encoding") {
  CHECK((decoded({0x62, 0xf5, 0x7d, 0x08, 0x7e, 0xc1}).clobbers & 1U << x86_64::rcx) !=
        0);                                                                // vmovw
  CHECK((decoded({0x66, 0x8f, 0xc2}).clobbers & 1U << x86_64::rdx) != 0);  // pop %dx
}

TEST_CASE("x86 decoder: memory that is written without an operand for it") {
  CHECK(decoded({0x9c}).writes_anything);                                // pushf
  CHECK_FALSE(decoded({0x9d}).writes_anything);                          // popf
  CHECK(decoded({0x66, 0x0f, 0x38, 0xf8, 0x07}).writes_anything);        // movdir64b
  CHECK(decoded({0xc4, 0xe2, 0x79, 0x49, 0x07}).writes_anything);        // sttilecfg
  CHECK(decoded({0xc4, 0xe2, 0x7a, 0x4b, 0x04, 0x0f}).writes_anything);  // tilestored
  CHECK(decoded({0x66, 0x0f, 0x1b, 0x04, 0x24}).writes_anything);        // bndmov to the stack
}

TEST_CASE("x86 decoder: refuses what goes elsewhere, or stands for two things") {
  CHECK(refused({0xcb}));  // far returns
  CHECK(refused({0xca, 1, 0}));
  CHECK(refused({0xcf}));  // iret
  CHECK(refused({0x48, 0xcf}));
  CHECK(refused({0x0f, 0x07}));  // sysret, sysenter, sysexit, rsm
  CHECK(refused({0x0f, 0x34}));
  CHECK(refused({0x0f, 0x35}));
  CHECK(refused({0x0f, 0xaa}));
  CHECK(refused({0x0f, 0xa8}));  // push and pop of fs and gs
  CHECK(refused({0x0f, 0xa1}));
  CHECK(refused({0x0f, 0x20, 0x85}));              // mov from cr0: this is no operand in memory
  CHECK(refused({0x66, 0xff, 0x37}));              // pushw
  CHECK(refused({0x66, 0x0f, 0x78, 0xc0, 1, 2}));  // extrq; without prefix it is vmread
  CHECK(refused({0xf2, 0x0f, 0x78, 0xc7, 1, 2}));  // insertq
  CHECK(refused({0x0f, 0x79, 0xc7}));              // vmwrite
}

TEST_CASE("x86 decoder: refuses what 64-bit mode does not have") {
  CHECK(refused({0x06}));
  CHECK(refused({0x60}));
  CHECK(refused({0x9a, 1, 2, 3, 4, 5, 6}));
  CHECK(refused({0xd5, 0x00, 0x50}));              // REX2
  CHECK(refused({0x8f, 0xe8, 0x78, 0xa2, 0xc1}));  // XOP
  CHECK(refused({0x0f, 0x24, 0xc0}));
  CHECK(refused({0x66, 0xe8, 1, 2, 3, 4}));  // its length depends on the processor
  CHECK(refused({0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66,
                 0x66, 0x90}));
}

namespace {

struct tally {
  int procedures = 0;
  int in_step = 0;
};

/// Decodes every procedure of a module; whoever loses step does not end where it ends.
int decode_module(dl_phdr_info* info, std::size_t, void* data) {
  auto& result = *static_cast<tally*>(data);
  for (int n = 0; n < info->dlpi_phnum; ++n) {
    ElfW(Phdr) const& header = info->dlpi_phdr[n];
    if (header.p_type != PT_LOAD || (header.p_flags & PF_X) == 0) continue;
    const std::uintptr_t begin = info->dlpi_addr + header.p_vaddr;
    const std::uintptr_t end = begin + header.p_memsz;
    for (std::uintptr_t pc = begin; pc < end;) {
      memprof::callstack::procedure p;
      if (!memprof::callstack::find_procedure(pc, p) || p.end > end) {
        pc = (pc | 15) + 1;
        continue;
      }
      ++result.procedures;
      std::uintptr_t at = p.begin;
      x86_64::instruction i;
      while (at < p.end &&
             x86_64::decode(reinterpret_cast<unsigned char const*>(at), p.end - at, at, i)) {
        at += i.length;
      }
      result.in_step += at == p.end;
      pc = p.end;
    }
  }
  return 0;
}

}  // namespace

TEST_CASE("x86 decoder: keeps step through all loaded code") {
  tally result;
  dl_iterate_phdr(decode_module, &result);
  CAPTURE(result.procedures, result.in_step);
  CHECK(result.procedures > 5000);
  // Procedures written in assembler may hold data, or instructions of no use to compilers.
  CHECK(result.in_step >= result.procedures - result.procedures / 1000);
}

#endif
