// SPDX-License-Identifier: MIT
/// \file
/// Which code is this component's: no call stack begins with it.
///
/// A program that is linked with memprof and runs under the preload library has two copies of this
/// component. The copy in the program is the other one's caller, so frames alone do not show where
/// the program's own call is: the preload library learns which code belongs to the copy.
#pragma once

/// For each function through which an allocation may go; the linker names the section's bounds. Not
/// for the forms of operator new: in a section that is named, compilers do not move the cold part
/// of a function away, which costs operator new an instruction.
#define MEMPROF_OWN_CODE __attribute__((section("memprof_replacement")))

/// Defined only in the preload library (override/preload/linked_copy.cpp); null in a process
/// without it. Weak, for dlsym must not fail while the real functions are looked up: if a resolver
/// of an IFUNC is what allocates, thread-local data are not set up yet, and glibc crashes when it
/// makes the error text.
extern "C" [[gnu::weak, gnu::visibility("default")]] void memprof_preload_leave_out(
    void const* begin, void const* end) noexcept;

namespace memprof::override {

/// Tells the call stacks of this copy, and those of the preload library if the next malloc is its.
void announce_own_code(bool preload_library_is_next) noexcept;

}  // namespace memprof::override
