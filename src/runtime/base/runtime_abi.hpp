// SPDX-License-Identifier: MIT
/// \file
/// <cxxabi.h>, and the functions of the C++ runtime that libc++abi has, but does not declare.
#pragma once

#include <cxxabi.h>

#if defined(_LIBCPPABI_VERSION)
namespace __cxxabiv1 {
extern "C" {
struct __cxa_eh_globals;
__cxa_eh_globals* __cxa_get_globals();
__cxa_eh_globals* __cxa_get_globals_fast();
int __cxa_atexit(void (*function)(void*), void* argument, void* module) noexcept;
}
}  // namespace __cxxabiv1
#endif
