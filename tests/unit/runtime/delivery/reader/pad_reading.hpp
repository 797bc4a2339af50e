// SPDX-License-Identifier: MIT
/// \file
/// Landing pads in assembly, and what the reader finds in them.
#pragma once

#include <cstdint>
#include <string>

#include "delivery/reader/frame_scratch.hpp"
#include "support/catch2.hpp"

// Each is a procedure of its own, so that the unwind tables say where it ends. Not local: the
// assembler for AArch64 would take the address of the section in its place.
#define PAD(name, code)                                                                   \
  extern "C" void name();                                                                 \
  __asm__(".text\n.globl " #name "\n.hidden " #name "\n.type " #name ",%function\n" #name \
          ":\n.cfi_startproc\n" code                                                      \
          "\n"                                                                            \
          ".cfi_endproc\n.size " #name ",.-" #name "\n")

namespace memprof::test {

using namespace memprof::delivery;

struct reading {
  pad_outcomes ends;
  int raised_again = 0;
  std::intptr_t last = 0;  // offset of the last such call from the pad
  thrown type = thrown::limit;
};

inline reading read(void (*pad)(), int selector, bool selector_known = true) {
  const borrowed_scratch scratch;
  REQUIRE(scratch.get() != nullptr);
  const auto address = reinterpret_cast<std::uintptr_t>(pad);
  module_code module;
  REQUIRE(module.open(address));
  reading r;
  scratch.get()->reader.reset();
  scratch.get()->arriving.reset();
  landing entry{landing::place::pad, address, selector, selector_known};
  scratch.get()->reader.read(module, entry, thrown::limit, r.ends, scratch.get()->arriving);
  for (arrival a; scratch.get()->arriving.take(a);) {
    ++r.raised_again;
    r.last = static_cast<std::intptr_t>(a.pc - address);
    r.type = a.type;
  }
  return r;
}

/// Letters of the ends found: a(gain), p(asses), s(wallows), t(ranslates), x terminates, e(xits),
/// u(nclear).
inline std::string ends(void (*pad)(), int selector = 0, bool selector_known = true) {
  const reading r = read(pad, selector, selector_known);
  std::string letters;
  if (r.raised_again != 0) letters += r.type == thrown::limit ? "a" : "n";
  if (r.ends.passes) letters += "p";
  if (r.ends.swallows) letters += "s";
  if (r.ends.translates) letters += "t";
  if (r.ends.terminates) letters += "x";
  if (r.ends.exits) letters += "e";
  if (r.ends.unclear) letters += "u";
  return letters;
}

}  // namespace memprof::test
