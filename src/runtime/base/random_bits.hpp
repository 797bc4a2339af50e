// SPDX-License-Identifier: MIT
/// \file
/// Bits that differ in every process, for the seed of its random sequences.
#pragma once

#include <cstdint>

namespace memprof::base {

/// 64 random bits from the kernel.
///
/// One getrandom, which does not wait (GRND_NONBLOCK). Where it is refused (a seccomp filter) or
/// the kernel has no entropy yet (early boot), a hash of the 16 random bytes that every program
/// gets when it is executed (AT_RANDOM), both clocks and the ids of process and thread. Statistics
/// need no more; keys would.
///
/// \note Safe everywhere, in signal handlers too: allocates nothing, takes no lock, keeps errno.
[[nodiscard]] std::uint64_t random_bits() noexcept;

namespace detail {

/// What `random_bits` gives without getrandom. Here for its test.
[[nodiscard]] std::uint64_t random_bits_without_kernel() noexcept;

}  // namespace detail
}  // namespace memprof::base
