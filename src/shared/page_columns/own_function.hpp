// SPDX-License-Identifier: MIT
/// \file
/// Functions of this library in the stacks of a program.
#pragma once

#include <string>
#include <string_view>

namespace memprof::page_columns {

/// Whether a function is this library's code in the profiled program: the replacement of malloc and
/// operator new, and what stands between a limit function and its task. Not the command's
/// functions: one may profile that, too.
///
/// \param name as memprof shortens it or a demangler writes it, with its return type or without.
bool is_own_function(std::string_view name) noexcept;

/// The task that a function of ours calls: the compiler puts its code into that function, and where
/// nothing but the linker's symbols is known, it has no other name.
///
///     memprof::v0::detail::erased_task<f()::{lambda()#1}, int>::call
///                                                         f()::{lambda()#1}::operator()
///
/// \return empty: it is no such function, or the task is a function with a name of its own.
std::string task_within(std::string_view name);

}  // namespace memprof::page_columns
