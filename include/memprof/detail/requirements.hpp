// SPDX-License-Identifier: MIT
/// \file
/// Requirements on the compiler, its C++ library and the target; cmake/compiler.cmake checks the
/// same when memprof itself is built. Not for users.
#pragma once

#if !defined(__linux__)
#error "memprof runs on Linux only."
#endif

#if __SIZEOF_POINTER__ != 8
#error "memprof needs a target of 64 bits: compile without -m32."
#endif

#if defined(__clang__)
#if __clang_major__ < 16
#error "memprof needs g++ 12 or clang++ 16, or newer: choose another compiler."
#endif
#elif defined(__GNUC__) && __GNUC__ < 12
#error "memprof needs g++ 12 or clang++ 16, or newer: choose another compiler."
#endif

#if __cplusplus <= 202002L
#error "memprof needs C++23: compile with -std=c++23 (clang 16: -std=c++2b)."
#endif

#include <features.h>

#if !defined(__GLIBC__) || __GLIBC__ < 2 || (__GLIBC__ == 2 && __GLIBC_MINOR__ < 35)
#error "memprof needs glibc 2.35 or newer: build for a distribution that has it; musl will not do."
#endif

#include <version>

#if !defined(__cpp_lib_expected)
#if defined(__clang__) && __clang_major__ < 19 && defined(_GLIBCXX_RELEASE) && _GLIBCXX_RELEASE > 13
#error \
    "memprof needs std::expected, which clang 16 to 18 cannot use from libstdc++ 14: use libstdc++ 13 (--gcc-install-dir=...), or clang 19."
#elif defined(__clang__) && __clang_major__ < 19 && defined(__GLIBCXX__)
#error \
    "memprof needs std::expected, which libstdc++ gives this clang only with -D__cpp_concepts=202002L -Wno-builtin-macro-redefined: compile all with both."
#else
#error "memprof needs std::expected: use libstdc++ 12 or newer, or libc++ 19 or newer."
#endif
#endif
