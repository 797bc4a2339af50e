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

namespace memprof::override {

/// Tells the call stacks of this copy, and those of the preload library if the next malloc is its.
/// During the lookup of the real functions: it calls dlsym and dladdr.
void announce_own_code() noexcept;

}  // namespace memprof::override
