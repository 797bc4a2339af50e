// SPDX-License-Identifier: MIT
#include "decoder/comparison.hpp"

#include <cinttypes>
#include <cstdio>
#include <string>

#include "decoder/claims.hpp"

namespace memprof::test {
namespace {

namespace x86 = delivery::x86_64;

constexpr std::uint64_t most_reports = 20;

std::string hex(unsigned char const* bytes, unsigned length) {
  std::string text;
  char digits[4];
  for (unsigned n = 0; n < length; ++n) {
    std::snprintf(digits, sizeof digits, " %02x", bytes[n]);
    text += digits;
  }
  return text;
}

}  // namespace

void comparison::compare(code_range range) {
  ++procedures_;
  for (std::uintptr_t address = range.begin; address < range.end;) {
    const unsigned length =
        compare(reinterpret_cast<unsigned char const*>(address), range.end - address, address);
    if (length == 0) {
      ++left_;  // data among the code, most likely
      return;
    }
    address += length;
  }
}

unsigned comparison::compare(unsigned char const* code, std::size_t available,
                             std::uintptr_t address) {
  zydis_reading theirs;
  if (!zydis_.read(code, available, address, theirs)) return 0;
  ++instructions_;
  x86::instruction ours;
  if (!x86::decode(code, available, address, ours)) {
    ++refused_;
  } else {
    if (ours.what == x86::op::other) {
      ++unfollowed_;
      unknown_ += ours.writes_anything;
    }
    if (const std::string what = contradiction(ours, theirs); !what.empty()) {
      report(code, what, ours, theirs);
    }
  }
  return theirs.instruction.length;
}

void comparison::report(unsigned char const* code, std::string const& what,
                        x86::instruction const& ours, zydis_reading const& theirs) {
  if (++contradictions_ > most_reports) return;
  std::printf("%s at %#" PRIx64 ", bytes%s: %s\n  ours:  %s\n  Zydis: %s\n", name_.c_str(),
              theirs.address - bias_, hex(code, theirs.instruction.length).c_str(), what.c_str(),
              text_of(ours).c_str(), theirs.text().c_str());
}

double comparison::percent(std::uint64_t n) const noexcept {
  return instructions_ == 0 ? 0
                            : 100.0 * static_cast<double>(n) / static_cast<double>(instructions_);
}

void comparison::print_heading() {
  std::printf("%-18s %10s %5s %12s %9s %11s %9s %7s\n", "library", "procedures", "left",
              "instructions", "refused", "unfollowed", "unknown", "wrong");
}

void comparison::print() const {
  std::printf("%-18s %10" PRIu64 " %5" PRIu64 " %12" PRIu64 " %8.4f%% %10.3f%% %8.4f%% %7" PRIu64
              "\n",
              name_.c_str(), procedures_, left_, instructions_, refused(), percent(unfollowed_),
              unknown(), contradictions_);
}

}  // namespace memprof::test
