// SPDX-License-Identifier: MIT
/// \file
/// Front header of `profile`. What users call is declared in memprof/sampling.hpp; here is
/// what its parts share. No other component includes it.
///
///     session     a profile that was started, and who is inside its tracker's functions
///     entries     the blocks that are tracked: what a tag of the engine names
///     call        one call of a tracker's function, or of several in a row
///     calls       what the engine calls
#pragma once

#include "profile/call.hpp"
#include "profile/entry.hpp"
#include "profile/session.hpp"
