// SPDX-License-Identifier: MIT
/// \file
/// The forms of operator new and delete that a program has replaced by its own.
///
/// The standard defines most forms by others ([new.delete]): new[] calls new, a sized delete[]
/// calls delete[], which calls delete. So a program may replace just `operator new(size_t)` and
/// `operator delete(void*)`, and gets every block by them. Our definitions are weak, so they give
/// way to the program's; the forms that remain ours must then call the program's, too. They go
/// through pointers (next_malloc.operators), which usually lead to the next allocator, so nobody
/// else pays for that.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>

#include "override/block_form.hpp"
#include "override/next_malloc.hpp"

namespace memprof::override {

/// A form that others call by default.
enum class basic_form : std::uint8_t {
  new_single,
  new_array,
  delete_single,
  delete_array,
  aligned_new,
  aligned_new_array
};

/// Whether calls of the form reach other code than this copy's. Any thread, at any time; a few
/// instructions, takes no lock.
bool is_replaced(basic_form form) noexcept;

// What the other forms call at first: the basic form, whoever's it is. That looks the next
// allocator up, and where the form is ours, the next allocator's function takes the place.
void* forwarded_array_new(std::size_t size);
void* forwarded_nothrow_new(std::size_t size) noexcept;
void* forwarded_nothrow_array_new(std::size_t size) noexcept;
void forwarded_delete(void* block) noexcept;
void forwarded_array_delete(void* block) noexcept;

inline constexpr operator_functions first_operators{
    .array_new = &forwarded_array_new,
    .nothrow_new = &forwarded_nothrow_new,
    .nothrow_array_new = &forwarded_nothrow_array_new,
    .delete_single = &forwarded_delete,
    .delete_array = &forwarded_array_delete,
};

/// What the other forms call where the program replaces nothing.
operator_functions operators_over(next_malloc_functions const& found) noexcept;
/// From here on the forms of delete free by this function, where the program replaces nothing.
void free_operators_by(void (*free)(void*) noexcept) noexcept;

/// operator new by the program's own form, for the slow paths of ours; takes the count of the block
/// back, since the program's form comes to be counted when it allocates.
void* call_replaced_new(std::size_t size);
void* call_replaced_nothrow(std::size_t size, block_form form) noexcept;

}  // namespace memprof::override
