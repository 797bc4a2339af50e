// SPDX-License-Identifier: MIT
/// \file
/// What a walk needs to know of the processor: the numbers of its registers in the unwind tables,
/// where a call leaves the return address, and how a walk begins.
///
/// x86-64 and AArch64; elsewhere `can_step` is false and no rule is understood.
#pragma once

#include <cstdint>

namespace memprof::callstack {

/// A frame: where it continues when its callee returns.
struct frame {
  std::uintptr_t pc = 0;  ///< return address into it
  std::uintptr_t sp = 0;  ///< stack pointer, as it will be then
  std::uintptr_t fp = 0;  ///< frame pointer: rbp, x29

  bool operator==(frame const&) const = default;
};

namespace detail {

#if defined(__x86_64__)

inline constexpr bool can_step = true;
/// Every call pushes the return address just below the CFA.
inline constexpr bool return_address_below_cfa = true;
inline constexpr std::uint64_t number_fp = 6;
inline constexpr std::uint64_t number_sp = 7;
inline constexpr std::uint64_t number_return = 16;
inline constexpr std::uint64_t general_registers = 16;

constexpr std::uintptr_t without_signature(std::uintptr_t address) noexcept { return address; }

#elif defined(__aarch64__)

inline constexpr bool can_step = true;
/// The function saves it, in the word above the saved frame pointer.
inline constexpr bool return_address_below_cfa = false;
inline constexpr std::uint64_t number_fp = 29;
inline constexpr std::uint64_t number_sp = 31;
inline constexpr std::uint64_t number_return = 30;
inline constexpr std::uint64_t general_registers = 31;

/// Without the bits by which a return address is signed (xpaclri; older processors do nothing).
inline std::uintptr_t without_signature(std::uintptr_t address) noexcept {
  register std::uintptr_t link asm("x30") = address;
  asm("hint #7" : "+r"(link));
  return link;
}

#else

inline constexpr bool can_step = false;
inline constexpr bool return_address_below_cfa = true;
inline constexpr std::uint64_t number_fp = ~std::uint64_t{0};
inline constexpr std::uint64_t number_sp = number_fp - 1;
inline constexpr std::uint64_t number_return = number_fp - 2;
inline constexpr std::uint64_t general_registers = 0;

constexpr std::uintptr_t without_signature(std::uintptr_t address) noexcept { return address; }

#endif

}  // namespace detail

/// Whether the frames of this processor's code can be walked.
inline constexpr bool can_step = detail::can_step;

/// The frame of the function that this is inlined into.
[[gnu::always_inline]] inline frame frame_here() noexcept {
  frame f;
#if defined(__x86_64__)
  asm("leaq 0(%%rip), %0\n\tmovq %%rsp, %1\n\tmovq %%rbp, %2" : "=r"(f.pc), "=r"(f.sp), "=r"(f.fp));
#elif defined(__aarch64__)
  // As a call would, it takes the link register: it is saved by then.
  asm("adr %0, 1f\n1:\n\tmov %1, sp\n\tmov %2, x29" : "=r"(f.pc), "=r"(f.sp), "=r"(f.fp) : : "x30");
#endif
  return f;
}

}  // namespace memprof::callstack
