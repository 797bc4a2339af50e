// SPDX-License-Identifier: MIT
/// \file
/// Why a task was interrupted: where its memory came from when its limit was hit
/// (`limits::explain`).
///
///     hit, inside malloc     take_reasons: the largest sums of its account, into a fixed record
///     limit function ends    explanation_of: the record and its stacks, into the error
#pragma once

#include <memory>

#include "memprof/explanation.hpp"

#include "engine/engine.hpp"

namespace memprof::inline v0::detail {

struct scope;

/// For a scope that is pending, asks for it, and has none yet. Allocates nothing; without memory
/// for the record the error has no stacks.
///
/// \param coming the request that has hit it: counted where the limit counts it, too.
void take_reasons(scope& s, engine::coming_block const& coming = {}) noexcept;
/// The same for all scopes of this thread. In an event, if there is a request.
void take_reasons(engine::coming_block const& coming = {}) noexcept;

/// Forgets them: the scope ends, or is hit no more.
void drop_reasons(scope& s) noexcept;

/// Null if there are none, or no memory.
std::shared_ptr<explanation const> explanation_of(scope const& s) noexcept;

}  // namespace memprof::inline v0::detail
