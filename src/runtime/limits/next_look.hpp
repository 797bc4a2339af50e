// SPDX-License-Identifier: MIT
/// \file
/// When to look next: which events concern the scopes of a thread, and where its next one must be.
#pragma once

#include <cstdint>

#include "limits/positions.hpp"

namespace memprof::inline v0::detail {

struct scope;

/// Of a scope and all around it, so that an event that concerns none of them is cheap. Changed in
/// next_look.cpp alone.
struct chain_summary {
  std::int64_t wakeup = never;  ///< first position that crosses an exact limit
  double threshold = 0.0;       ///< charged words at which a sampled limit is hit
  bool polls = false;           ///< something must be polled
  bool has_accounts = false;    ///< every sample concerns live memory or a budget
  bool pending = false;         ///< one is hit or stopping
  bool refuses = false;         ///< one of these may make malloc return null
  bool asks = false;            ///< one of these has a predicate, and may refuse by it
  bool adapts_rate = false;     ///< the rate follows the live memory of one
};

/// Computes the summary of a scope from that of the one around it.
void summarise(scope& s) noexcept;

/// The same from the outermost scope inwards, after a hit or a raised limit.
void refresh_chain() noexcept;

/// Words until the next check. Grows over a long stretch in which no interrupt can be tried (C code
/// that allocates) up to the poll interval, which bounds the cost of such stretches.
std::int64_t patience() noexcept;

/// Tells the engine when this thread needs its next event.
void set_wakeup() noexcept;

}  // namespace memprof::inline v0::detail
