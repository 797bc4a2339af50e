// SPDX-License-Identifier: MIT
/// \file
/// What the (mangled) name of a function means for the pre-flight of its frames.
#pragma once

#include <cstdint>

namespace memprof::delivery {

/// Code whose frames need other rules than the unwind tables give.
enum class code_kind : std::uint8_t {
  plain,            ///< C++, or nothing known against it
  c_function,       ///< the name is not mangled: C, assembly, or extern "C"
  gets_null,        ///< a C function that returns null when malloc does, in a library that aborts
  needs_memory,     ///< a C function that ends the process when malloc returns null
  tls_initialiser,  ///< __tls_init, _ZTH*, _ZTW*: thread_local variables are initialised in there
  library_io,       ///< the standard library's streams, locales and futures
  unsafe            ///< on the list of functions that do not survive an interrupt
};

/// The kind of a function called `name`, as it stands in a symbol table: zero-terminated, with
/// suffixes like .cold or .part.0 or @VERSION, or without.
///
/// What the compiler makes for C++ is plain although it is not mangled: `main`,
/// `__clang_call_terminate`, initialisers of globals. (Frames of `main` in a C module are known by
/// the module.) Names of the library are recognised by their beginning (a function of namespace
/// std) and by what they mention, template and function arguments included: a `std::function`
/// around a task of a future is part of that machinery. This takes in some that are not, but never
/// a function of the program.
///
/// Any thread, signal-safe. 30 to 100 ns for long names of the library, else about 5.
code_kind kind_of_name(char const* name) noexcept;

constexpr bool is_c(code_kind kind) noexcept {
  return kind == code_kind::c_function || kind == code_kind::gets_null ||
         kind == code_kind::needs_memory;
}

/// Is it mangled as C++ names are?
constexpr bool is_mangled(char const* name) noexcept { return name[0] == '_' && name[1] == 'Z'; }

/// May it be a function of the C++ runtime or of libc: not mangled, or in namespace std?
bool may_be_runtime(char const* name) noexcept;

}  // namespace memprof::delivery
