// SPDX-License-Identifier: MIT
/// \file
/// The sums of an account by call stack: by which stacks its blocks were allocated, live and in
/// all.
///
/// Only accounts that were opened with them have such sums. Then the stack of each sampled block
/// that is charged to one is taken, and its number kept in the block's record, so that a free by
/// any thread comes off the right sum.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "engine/account.hpp"
#include "engine/sampled_amount.hpp"

namespace memprof::engine {

/// The number of all stacks that found no room, in the table of an account or in that of the
/// process. Others are counted from 1.
inline constexpr std::uint32_t other_stacks = ~std::uint32_t{0};
/// Stacks with the same innermost frames, so many, are one.
inline constexpr std::size_t frames_of_summed_stack = 64;

/// Room for some 500 stacks (54 KB), for one account at a time. Null if there is no memory.
stack_sums* open_stack_sums() noexcept;
/// Nothing is charged to it any more.
void close_stack_sums(stack_sums* s) noexcept;

/// Adds a block of this thread to the sums of `owner`, its ancestors and what they share, as far as
/// they have such sums.
///
/// \param frame of new_block.
/// \return the number of its stack, which discharge_stack needs; not 0.
[[gnu::cold]] std::uint32_t charge_stack(account* owner, void const* frame,
                                         rounded_contribution const& c) noexcept;
/// Takes it off the live sums again.
[[gnu::cold]] void discharge_stack(account* owner, std::uint32_t stack,
                                   rounded_contribution const& c) noexcept;

/// What an account has by one stack.
struct stack_total {
  std::uint32_t stack = 0;
  sampled_amount amount;
};
enum class stack_amounts : std::uint8_t { live, allocated };

/// A block that is about to be obtained; `counts.weight` 0: none.
struct coming_block {
  contribution counts{};
  void const* frame = nullptr;
};
/// The number of its stack, or other_stacks. In an event.
[[nodiscard]] std::uint32_t stack_of(coming_block const& b) noexcept;

/// The largest totals of an account that has sums by stack, the largest first.
///
/// \param coming is part of the total of the stack `stack_of_coming`.
/// \param into filled from its beginning.
/// \return how many there are, those of nothing left out. Allocates nothing, takes no lock.
/// \note Cost: some thousand instructions.
std::size_t largest_stacks(account const& a, stack_amounts which, contribution const& coming,
                           std::uint32_t stack_of_coming, std::span<stack_total> into) noexcept;

/// Return addresses, innermost first. None for other_stacks. Valid as long as the process lives.
[[nodiscard]] std::span<std::uintptr_t const> frames_of_summed(std::uint32_t stack) noexcept;

}  // namespace memprof::engine
