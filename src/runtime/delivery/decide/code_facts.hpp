// SPDX-License-Identifier: MIT
/// \file
/// What is known of the code at an address: is it C++ or C, of the standard library, of a kind that
/// only its symbol shows?
///
/// Modules that are never unloaded (the program, this library, and what these need) are classified
/// once, when something must be known of any code; the others (dlopen) when a pre-flight first
/// meets a frame of theirs. What was found is kept by file, so a library that is loaded a thousand
/// times costs its symbol table once.
#pragma once

#include <cstdint>

#include "delivery/decide/symbol_kinds.hpp"

namespace memprof::delivery {

/// What is known of the code at an address.
struct code_facts {
  bool cxx = false;               ///< the module has functions with a C++ personality
  bool standard_library = false;  ///< libstdc++, libc++ or libc++abi
  bool needs_memory = false;      ///< code that ends the process when malloc returns null
  bool permanent = false;         ///< the module is never unloaded
  bool unread = false;  ///< no memory to read its module's file now: nothing else is known
  code_kind kind = code_kind::plain;
};

/// Classifies the permanent modules. The first call reads their symbol tables, which takes some
/// milliseconds; later ones cost a load. While another thread does it, waits, 1 s at most.
///
/// \return false if it is impossible, if there is no memory for a symbol table now, or if it is not
///   done after that wait. The next call goes on with it.
/// \note Threads: any, in forked children too; takes no lock. The modules were listed, under the
///   loader's lock, when this library was loaded.
bool prepare_modules() noexcept;

/// What is known of the code at `pc`. False if no module covers it, or `prepare_modules` was.
///
/// \note Threads: any thread that has a frame there, so that the module stays; takes no lock.
bool facts_at(std::uintptr_t pc, code_facts& facts) noexcept;

}  // namespace memprof::delivery
