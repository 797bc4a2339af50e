// SPDX-License-Identifier: MIT
/// \file
/// How an interrupt is raised.
#pragma once

#include "memprof/interrupted.hpp"

namespace memprof::delivery {

/// Throws limit_exceeded(kind), in such a way that libstdc++ lets it pass.
///
/// The handlers in libstdc++'s streams, locales and futures swallow or store every exception but
/// one: `abi::__forced_unwind`, by which a cancelled thread is unwound. They clean up for it and
/// throw it again. The interrupt wants just that, so its type information names that class as a
/// base, besides std::bad_alloc. Whoever catches limit_exceeded, std::bad_alloc or std::exception
/// gets the object as ever; a handler of `abi::__forced_unwind&` must throw it again, as it must
/// for a cancelled thread.
///
/// With libc++, which has no such handlers, this is a plain throw.
///
/// \note Threads: any; allocates what every throw allocates (__cxa_allocate_exception).
/// \see Itanium C++ ABI 2.9.5 (layout of the type information), 2.4.2 (__cxa_throw).
[[noreturn]] void raise(limit_kind kind);

}  // namespace memprof::delivery
