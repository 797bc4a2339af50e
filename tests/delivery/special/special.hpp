// SPDX-License-Identifier: MIT
/// \file
/// Functions whose translation units are compiled in a special way, or must be apart.
#pragma once

#include <string>

/// -fno-exceptions: no destructor runs if an exception passes through.
void call_without_exceptions(void (*f)());
/// -fno-exceptions -fno-asynchronous-unwind-tables -fno-unwind-tables: the remedy, nothing passes.
void call_without_tables(void (*f)());
bool no_exceptions_lock_is_free() noexcept;
bool no_tables_lock_is_free() noexcept;

/// Exception specifications of C++14; call f.
void spec_throw_int(void (*f)());
void spec_throw_bad_alloc(void (*f)());
void spec_throw_int_exception(void (*f)());
void spec_throw_nothing(void (*f)());
void spec_throw_int_with_cleanup(void (*f)());

/// All initialised by allocations, in this order, when the first of them is used.
extern thread_local int number_of_thread;        // 1
extern thread_local std::string text_of_thread;  // 100 characters
extern thread_local int last_of_thread;          // 2

/// Written in assembler.
extern "C" void asm_call_without_cfi(void (*f)());
extern "C" void asm_call_with_cfi(void (*f)());
