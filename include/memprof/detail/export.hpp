// SPDX-License-Identifier: MIT
/// \file
/// What a shared library of memprof exports. Not for users.
#pragma once

#include "memprof/detail/requirements.hpp"

/// Marks a function, a variable or a class that programs use and that is defined in the compiled
/// library.
///
/// The library is compiled with -fvisibility=hidden, so a shared one exports what is marked and
/// nothing else. Exceptions and classes with virtual functions are marked as a whole: a program can
/// only catch an exception that shares its type information with the library. Templates, constexpr
/// and inline functions need no mark; the program has its own.
#define MEMPROF_API [[gnu::visibility("default")]]

/// Marks what libmemprof.so, libmemprof-fiber.so, libmemprof-serve.so and libmemprof-trace.so need
/// from libmemprof-core.so.
///
/// Not for programs, and as few as possible: the fast paths of `override` (base, engine), what
/// `fiber` calls in `limits`, stacks and modules for `endpoints`, and the encoder that the writer
/// of traces shares with the running program (encoding). The test package.exports prints marks that
/// nothing needs, and missing ones.
#define MEMPROF_INTERNAL_API [[gnu::visibility("default")]]
