// SPDX-License-Identifier: MIT
/// \file
/// What the reader of frames says of a case, and what becomes of it when an interrupt is thrown.
#pragma once

#include "delivery/reader/frame_outcome.hpp"
#include "frame_cases.hpp"

namespace frame_cases {

enum class reality { delivered, swallowed, translated, terminated, other };

/// The outcome of the first frame that does not let it pass, from the first call of `arrive`.
memprof::delivery::outcome predict(frame_case const& c);

/// Throws limit_exceeded out of the first call of `arrive`, in a forked child.
reality really(frame_case const& c);

char const* name_of(memprof::delivery::outcome o);
char const* name_of(reality r);

/// Whether a prediction is right, or errs on the side of caution.
bool is_safe(memprof::delivery::outcome predicted, reality real);

}  // namespace frame_cases
