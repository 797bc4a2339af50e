// SPDX-License-Identifier: MIT
/// \file
/// Code of all kinds to take stacks in. Each calls `f` some frames down.
#pragma once

#include <cstdint>

namespace memprof::test {

using called = void (*)();

/// A leaf, alloca, a realigned frame, many registers in use, large frames; compiled with
/// -fno-omit-frame-pointer and with -fomit-frame-pointer.
void cases_with_frame_pointers(called f);
void cases_without_frame_pointers(called f);

/// n frames that keep frame pointers.
void chain_of_frame_pointers(int n, called f);

/// Calls f with that in rbp (x29): a general register, where there is no frame pointer.
void with_frame_pointer(std::uintptr_t value, called f);

}  // namespace memprof::test
