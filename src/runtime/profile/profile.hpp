// SPDX-License-Identifier: MIT
/// \file
/// Front header of `profile`, for its own parts: no other component includes it. The public
/// functions are declared in memprof/sampling.hpp.
///
///     session     a profile that was started
///     visit       a thread inside a session's functions
///     entry       a tracked block; a tag of the engine is its index
///     call        one call of a tracker's function, or of several in a row
///     calls       the functions that the engine calls
#pragma once

#include "profile/call.hpp"
#include "profile/entry.hpp"
#include "profile/session.hpp"
#include "profile/visits.hpp"
